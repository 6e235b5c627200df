// device.gemm(a, b, c, d, stages, alpha, beta, split_k, stream, strict, reports)
#include "stages.hpp"

namespace fade::python {
namespace {

/// A matrix, or a batch of them, that gemm can read as it lies.
struct matrix {
    std::int64_t rows, columns, ld, batch, stride;
    bool transposed;
};

/// Leading dimensions as one: their number and stride; false where they lie in no even steps.
bool joined(const view& v, int count, std::int64_t& size, std::int64_t& stride) {
    size = 1, stride = 0;
    for (int i = count - 1; i >= 0; --i) {
        if (v.shape[i] == 1) continue;
        if (size == 1)
            stride = v.strides[i];
        else if (v.strides[i] != stride * size)
            return false;
        size *= v.shape[i];
    }
    return true;
}

bool matrix_of(const view& v, bool may_be_transposed, matrix& out) {
    const int n = v.dimensions;
    if (n < 2) return refuse(v.name, "of shape " + in_words(v), "it is a matrix, or a batch of matrices");
    out.rows = v.shape[n - 2], out.columns = v.shape[n - 1];
    const std::int64_t down = v.strides[n - 2], across = v.strides[n - 1];
    const bool by_rows = across == 1 || out.columns == 1, by_columns = down == 1 || out.rows == 1;
    out.transposed = !by_rows && by_columns && may_be_transposed;
    if (!by_rows && !out.transposed)
        return refuse(v.name, "of strides " + std::to_string(down) + ", " + std::to_string(across),
                      may_be_transposed ? "elements of its rows or of its columns must lie side by side"
                                        : "elements of its rows must lie side by side");
    out.ld = out.transposed ? (out.columns == 1 ? 0 : across) : (out.rows == 1 ? 0 : down);
    if (out.ld == 0 && (out.transposed ? out.columns : out.rows) > 1)
        return refuse(v.name, "a view that repeats a row", "rows of a matrix lie apart: copy the tensor");
    if (!joined(v, n - 2, out.batch, out.stride))
        return refuse(v.name, "of shape " + in_words(v), "its matrices must lie in even steps");
    if (out.batch == 1) out.stride = -1;
    return true;
}

bool same_batch(const view& v, matrix& m, std::int64_t batch) {
    if (m.batch == batch) return true;
    if (m.batch == 1) return m.stride = 0, true;
    return refuse(v.name, "of shape " + in_words(v),
                  "d has " + std::to_string(batch) + " matrices, so it has as many or one");
}

/// What a stage reads: a list, or matrices of D's shape.
bool stage_memory(const view& v, const fade_gemm_args& g, fade_stage& s) {
    if (s.kind == FADE_BIAS || s.kind == FADE_BIAS_COL) {
        const bool columns = s.kind == FADE_BIAS;
        s.values = list_of(v, g.out, columns ? g.n : g.m, columns ? "the columns of d" : "the rows of d");
        return s.values || refuse(v.name, "None", "the stage reads it");
    }
    if (s.kind < FADE_RESIDUAL) return true;
    matrix m;
    if (!v.given()) return refuse(v.name, "None", "the stage reads it");
    if (!matrix_of(v, false, m)) return false;
    if (v.type != g.out || m.rows != g.m || m.columns != g.n)
        return refuse(v.name, "of shape " + in_words(v),
                      "the stage reads a matrix of the shape and type of d");
    if (!same_batch(v, m, g.batch)) return false;
    s.values = v.data, s.ld = m.ld, s.batch_stride = m.stride;
    return true;
}

}  // namespace

PyObject* gemm(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view a, b, c, d, views[8];
    if (!from.tensor("a", a) || !from.tensor("b", b) || !from.tensor("c", c) || !from.tensor("out", d))
        return nullptr;
    PyObject* list = from.object();
    fade_gemm_args g;
    (*self->by)->fade_gemm_init(&g, sizeof g);
    g.alpha = from.real(), g.beta = from.real(), g.split_k = int(from.integer());
    call_manner how;
    if (!how.take(from) || !on_device(*self, {&a, &b, &c}, {&d})) return nullptr;
    matrix ma, mb, mc, md;
    if (!matrix_of(a, true, ma) || !matrix_of(b, true, mb) || !matrix_of(d, false, md)) return nullptr;
    g.in = a.type, g.out = d.type, g.m = ma.rows, g.k = ma.columns, g.n = mb.columns, g.batch = md.batch;
    if (!(b.type == a.type || refuse(b.name, "of another type than a", "a and b have one type")) ||
        !(mb.rows == g.k ||
          refuse(b.name, "of shape " + in_words(b), "a has " + std::to_string(g.k) + " columns")) ||
        !((md.rows == g.m && md.columns == g.n) ||
          refuse(d.name, "of shape " + in_words(d),
                 "the product is " + std::to_string(g.m) + " x " + std::to_string(g.n))) ||
        !same_batch(a, ma, g.batch) || !same_batch(b, mb, g.batch))
        return nullptr;
    g.layout = 2 * ma.transposed + mb.transposed;
    g.lda = ma.ld, g.ldb = mb.ld, g.ldd = md.ld, g.stride_a = ma.stride, g.stride_b = mb.stride,
    g.stride_d = md.stride;
    g.a = a.data, g.b = b.data, g.d = d.data;
    if (c.given()) {
        if (!matrix_of(c, false, mc) || !same_batch(c, mc, g.batch) ||
            !((mc.rows == g.m && mc.columns == g.n && c.type == d.type) ||
              refuse(c.name, "of shape " + in_words(c), "it has the shape and type of d")))
            return nullptr;
        g.c = c.data, g.ldc = mc.ld, g.stride_c = mc.stride;
    }
    fade_stage stages[8];
    const auto memory = [&](const view& v, fade_stage& to) { return stage_memory(v, g, to); };
    if (!read_stages(*self, list, g, stages, views, memory)) return nullptr;
    return call(*self, (*self->by)->fade_gemm, g, how);
}

}  // namespace fade::python

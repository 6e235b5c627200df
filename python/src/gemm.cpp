// device.gemm(a, b, c, d, row_sums, column_sums, stages, alpha, beta, split_k, stream, strict, reports[,
// tuned])
#include "matrix.hpp"

namespace fade::python {
namespace {

/// The sums of a product's rows and columns, of one type: that of the result, or f32.
bool take_sums(fade_gemm_args& g, const view& rows, const view& columns, std::int64_t columns_of_d) {
    if (!rows.given() && !columns.given()) return true;
    g.sums = rows.given() ? rows.type : columns.type;
    if (rows.given()) g.row_sums = list_as<void>(rows, g.sums, g.batch * g.m, "the rows of d");
    if (!PyErr_Occurred() && columns.given())
        g.column_sums = list_as<void>(columns, g.sums, columns_of_d, "the columns of d");
    return !PyErr_Occurred();
}

}  // namespace

PyObject* gemm(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view a, b, c, d, row_sums, column_sums, views[8];
    if (!from.tensor("a", a) || !from.tensor("b", b) || !from.tensor("c", c) || !from.tensor("out", d) ||
        !from.tensor("row_sums", row_sums) || !from.tensor("column_sums", column_sums))
        return nullptr;
    PyObject* list = from.object();
    const int joined = columns_per_output(list);
    fade_gemm_args g;
    (*self->by)->fade_gemm_init(&g, sizeof g);
    g.alpha = from.real(), g.beta = from.real(), g.split_k = from.integer32();
    call_manner how;
    if (!how.take_all(from) || !on_device(*self, {&a, &b, &c}, {&d, &row_sums, &column_sums})) return nullptr;
    matrix ma, mb, mc, md;
    if (!matrix_of(a, true, ma) || !matrix_of(b, true, mb) || !matrix_of(d, false, md)) return nullptr;
    g.in = a.type, g.in_b = b.type, g.out = d.type, g.m = ma.rows, g.k = ma.columns, g.n = mb.columns,
    g.batch = md.batch;
    if (!(b.type == a.type || (a.type >= FADE_F8E4M3 && b.type >= FADE_F8E4M3) ||
          refuse(b.name, "of another type than a", "a and b have one type, or are two 8-bit floats")) ||
        !(mb.rows == g.k ||
          refuse(b.name, "of shape " + in_words(b), "a has " + std::to_string(g.k) + " columns")) ||
        !((md.rows == g.m && md.columns == g.n / joined) ||
          refuse(d.name, "of shape " + in_words(d),
                 "the product is " + std::to_string(g.m) + " x " + std::to_string(g.n) +
                     (joined == 2 ? ", of which a gate leaves half of the columns" : ""))) ||
        !same_batch(a, ma, g.batch) || !same_batch(b, mb, g.batch))
        return nullptr;
    g.layout = 2 * ma.transposed + mb.transposed;
    g.lda = ma.ld, g.ldb = mb.ld, g.ldd = md.ld, g.stride_a = ma.stride, g.stride_b = mb.stride,
    g.stride_d = md.stride;
    g.a = a.data, g.b = b.data, g.d = d.data;
    if (c.given()) {
        if (!matrix_of(c, false, mc) || !same_batch(c, mc, g.batch) ||
            !((mc.rows == g.m && mc.columns == g.n / joined && c.type == d.type) ||
              refuse(c.name, "of shape " + in_words(c), "it has the shape and type of d")))
            return nullptr;
        g.c = c.data, g.ldc = mc.ld, g.stride_c = mc.stride;
    }
    if (!take_sums(g, row_sums, column_sums, md.columns)) return nullptr;
    fade_stage stages[8];
    const product_shape shape{g.out, g.m, g.n, g.batch, 1};
    if (!read_product_stages(*self, list, g, shape, stages, views)) return nullptr;
    const library& by = **self->by;
    return call_or_find<fade_gemm_args>(
        *self, {by.fade_gemm, by.fade_find_gemm, by.fade_verify_gemm, by.fade_background_gemm}, g, how);
}

}  // namespace fade::python

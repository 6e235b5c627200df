// device.scaled_gemm(a, b, d, scale_a, scale_b, stages, rows_per_scale, columns_per_scale, stream, strict,
// reports)
#include "matrix.hpp"
#include <cstddef>

namespace fade::python {
namespace {

/// Scales as they lie: [lines / per_scale, k / 128], rounded up, of f32 at any strides above 0.
bool scales_of(const view& v, std::int64_t lines, std::int64_t per_scale, std::int64_t k, const float*& first,
               std::int64_t& line_stride, std::int64_t& k_stride) {
    if (v.type != FADE_F32) return refuse(v.name, "of another type", "scales are float32");
    const auto groups = per_scale > 0 ? (lines + per_scale - 1) / per_scale : lines, parts = (k + 127) / 128;
    if (v.dimensions != 2 || v.shape[0] != groups || v.shape[1] != parts)
        return refuse(v.name, "of shape " + in_words(v),
                      "it is [" + std::to_string(groups) + ", " + std::to_string(parts) + "]");
    first = static_cast<const float*>(v.data);
    if (groups > 1) line_stride = v.strides[0];
    if (parts > 1) k_stride = v.strides[1];
    return true;
}

}  // namespace

PyObject* scaled_gemm(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view a, b, d, scale_a, scale_b, views[8];
    if (!from.tensor("a", a) || !from.tensor("b", b) || !from.tensor("out", d) ||
        !from.tensor("scale_a", scale_a) || !from.tensor("scale_b", scale_b))
        return nullptr;
    PyObject* list = from.object();
    const int joined = columns_per_output(list);
    fade_scaled_gemm_args g;
    (*self->by)->fade_scaled_gemm_init(&g, sizeof g);
    g.rows_per_scale = from.integer(), g.columns_per_scale = from.integer();
    call_manner how;
    matrix ma, mb, md;
    if (!how.take(from) || !on_device(*self, {&a, &b, &scale_a, &scale_b}, {&d}) || !matrix_of(a, true, ma) ||
        !matrix_of(b, true, mb) || !matrix_of(d, false, md))
        return nullptr;
    g.in = a.type, g.out = d.type, g.m = ma.rows, g.k = ma.columns, g.n = mb.columns;
    if (!(b.type == a.type || refuse(b.name, "of another type than a", "a and b have one type")) ||
        !(mb.rows == g.k ||
          refuse(b.name, "of shape " + in_words(b), "a has " + std::to_string(g.k) + " columns")) ||
        !((md.rows == g.m && md.columns == g.n / joined && md.batch == 1) ||
          refuse(d.name, "of shape " + in_words(d),
                 "the product is " + std::to_string(g.m) + " x " + std::to_string(g.n) +
                     (joined == 2 ? ", of which a gate leaves half of the columns" : ""))) ||
        !scales_of(scale_a, g.m, g.rows_per_scale, g.k, g.scale_a, g.scale_a_row, g.scale_a_k) ||
        !scales_of(scale_b, g.n, g.columns_per_scale, g.k, g.scale_b, g.scale_b_column, g.scale_b_k))
        return nullptr;
    g.layout = 2 * ma.transposed + mb.transposed;
    g.lda = ma.ld, g.ldb = mb.ld, g.ldd = md.ld, g.a = a.data, g.b = b.data, g.d = d.data;
    fade_stage stages[8];
    const product_shape shape{g.out, g.m, g.n, 1, 1};
    if (!read_product_stages(*self, list, g, shape, stages, views)) return nullptr;
    return call(*self, (*self->by)->fade_scaled_gemm, g, how);
}

}  // namespace fade::python

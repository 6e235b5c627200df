// The methods of quantised weights: weight_gemm, grouped_weight_gemm.
#include "matrix.hpp"
#include <algorithm>

namespace fade::python {
namespace {

/// What a format has of a product: bytes of weights and of zeros, and scales of a type.
struct weight_counts {
    std::int64_t weights, scales, zeros;
    int scale_type;
};
template <class Arguments>
weight_counts counts_of(const Arguments& g) {
    const std::int64_t all = g.n * g.k,
                       groups = g.group == -1 ? 1 : g.k / std::max<std::int64_t>(g.group ? g.group : 128, 1);
    switch (g.format) {
    case FADE_WEIGHTS_GPTQ:
    case FADE_WEIGHTS_AWQ:
        return {all / 2, groups * g.n, groups * g.n / 2, FADE_F16};
    case FADE_WEIGHTS_INT8:
        return {all, g.n, 0, FADE_F32};
    case FADE_WEIGHTS_MXFP4:
        return {all / 2, all / 32, 0, FADE_I8};
    case FADE_WEIGHTS_NVFP4:
        return {all / 2, all / 16, 0, FADE_I8};
    default:
        return {all, all / 32, 0, FADE_I8};
    }
}

/// Packed memory of so many bytes, of integers of 8 or 32 bits.
const void* bytes_of(const view& v, std::int64_t bytes, const char* of) {
    const int size = v.type == FADE_I32 ? 4 : 1;
    if (v.type == FADE_I32 && bytes % size == 0) return list_of(v, FADE_I32, bytes / size, of);
    return list_of(v, FADE_I8, bytes, of);
}

/// Weights, scales and zero points of `groups` matrices, or an error is set and it is false.
template <class Arguments>
bool weights_of(Arguments& g, std::int64_t groups, const view& weights, const view& scales,
                const view& zeros) {
    const weight_counts n = counts_of(g);
    g.weights = bytes_of(weights, groups * n.weights, "the bytes of k x n weights");
    if (!PyErr_Occurred())
        g.scales = list_of(scales, n.scale_type, groups * n.scales, "the groups of k and columns");
    if (!PyErr_Occurred() && zeros.given())
        g.zeros = bytes_of(zeros, groups * n.zeros, "the bytes of zero points");
    return !PyErr_Occurred();
}

/// Where A, C and D lie; D has `rows` rows.
template <class Arguments>
bool matrices_of(Arguments& g, const view& a, const view& c, const view& d, std::int64_t rows) {
    matrix ma, mc, md;
    if (!matrix_of(a, false, ma) || !matrix_of(d, false, md)) return false;
    g.lda = ma.ld, g.ldd = md.ld, g.a = a.data, g.d = d.data;
    if (!((md.rows == rows && md.batch == 1 && ma.batch == 1) ||
          refuse(d.name, "of shape " + in_words(d), "it has " + std::to_string(rows) + " rows")))
        return false;
    if (!c.given()) return true;
    if (!matrix_of(c, false, mc) ||
        !((mc.rows == rows && mc.columns == md.columns && mc.batch == 1 && c.type == d.type) ||
          refuse(c.name, "of shape " + in_words(c), "it has the shape and type of d")))
        return false;
    return g.c = c.data, g.ldc = mc.ld, true;
}

/// Has it two dimensions?
bool is_matrix(const view& v) {
    return v.dimensions == 2 || refuse(v.name, "of shape " + in_words(v), "it is a matrix");
}

}  // namespace

// device.weight_gemm(a, weights, scales, zeros, c, d, format, group, stages, alpha, beta, split_k, stream,
// strict, reports)
PyObject* weight_gemm(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view a, weights, scales, zeros, c, d, views[8];
    if (!from.tensor("a", a) || !from.tensor("weights", weights) || !from.tensor("scales", scales) ||
        !from.tensor("zeros", zeros) || !from.tensor("c", c) || !from.tensor("out", d))
        return nullptr;
    fade_weight_gemm_args g;
    (*self->by)->fade_weight_gemm_init(&g, sizeof g);
    g.format = from.integer32(), g.group = from.integer();
    PyObject* list = from.object();
    g.alpha = from.real(), g.beta = from.real(), g.split_k = from.integer32();
    call_manner how;
    if (!how.take(from) || !on_device(*self, {&a, &weights, &scales, &zeros, &c}, {&d}) || !is_matrix(a) ||
        !is_matrix(d))
        return nullptr;
    g.in = a.type, g.out = d.type, g.m = a.shape[0], g.k = a.shape[1];
    g.n = d.shape[1] * columns_per_output(list);
    if (!matrices_of(g, a, c, d, g.m) || !weights_of(g, 1, weights, scales, zeros)) return nullptr;
    fade_stage stages[8];
    const product_shape shape{g.out, g.m, g.n, 1, 1};
    if (!read_product_stages(*self, list, g, shape, stages, views)) return nullptr;
    return call(*self, (*self->by)->fade_weight_gemm, g, how);
}

// device.grouped_weight_gemm(a, weights, scales, zeros, c, d, ends, row_list, format, group, stages, alpha,
// beta, check_indices, stream, strict, reports)
PyObject* grouped_weight_gemm(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view a, weights, scales, zeros, c, d, ends, row_list, views[8];
    if (!from.tensor("a", a) || !from.tensor("weights", weights) || !from.tensor("scales", scales) ||
        !from.tensor("zeros", zeros) || !from.tensor("c", c) || !from.tensor("out", d) ||
        !from.tensor("ends", ends) || !from.tensor("row_list", row_list))
        return nullptr;
    fade_grouped_weight_gemm_args g;
    (*self->by)->fade_grouped_weight_gemm_init(&g, sizeof g);
    g.format = from.integer32(), g.group = from.integer();
    PyObject* list = from.object();
    g.alpha = from.real(), g.beta = from.real(), g.check_indices = from.integer32();
    call_manner how;
    if (!how.take(from) || !on_device(*self, {&a, &weights, &scales, &zeros, &c, &ends, &row_list}, {&d}) ||
        !is_matrix(a) || !is_matrix(d))
        return nullptr;
    const bool listed = row_list.given();
    g.in = a.type, g.out = d.type, g.k = a.shape[1], g.n = d.shape[1] * columns_per_output(list);
    g.rows = d.shape[0], g.rows_of_a = a.shape[0];
    g.groups = int(std::min<std::int64_t>(ends.size(), std::int64_t(1) << 30));
    if (!matrices_of(g, a, c, d, listed ? g.rows : g.rows_of_a) ||
        !weights_of(g, g.groups, weights, scales, zeros))
        return nullptr;
    g.ends = list_as<const int>(ends, FADE_I32, g.groups, "the groups");
    if (!PyErr_Occurred()) g.row_list = list_as<const int>(row_list, FADE_I32, g.rows, "the rows of d");
    fade_stage stages[8];
    const product_shape shape{g.out, g.rows, g.n, 1, g.groups};
    if (PyErr_Occurred() || !read_product_stages(*self, list, g, shape, stages, views)) return nullptr;
    return call(*self, (*self->by)->fade_grouped_weight_gemm, g, how);
}

}  // namespace fade::python

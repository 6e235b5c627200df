// device.weight_gemm(a, weights, scales, zeros, c, d, format, group, stages, alpha, beta, split_k, stream,
// strict, reports)
#include "matrix.hpp"
#include <algorithm>

namespace fade::python {
namespace {

/// What a format has of a product: bytes of weights and of zeros, and scales of a type.
struct weight_counts {
    std::int64_t weights, scales, zeros;
    int scale_type;
};
weight_counts counts_of(const fade_weight_gemm_args& g) {
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

}  // namespace

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
    matrix ma, mc, md;
    if (!how.take(from) || !on_device(*self, {&a, &weights, &scales, &zeros, &c}, {&d}) ||
        !matrix_of(a, false, ma) || !matrix_of(d, false, md))
        return nullptr;
    const int joined = columns_per_output(list);
    g.in = a.type, g.out = d.type, g.m = ma.rows, g.k = ma.columns, g.n = md.columns * joined;
    g.lda = ma.ld, g.ldd = md.ld, g.a = a.data, g.d = d.data;
    if (!((md.rows == g.m && md.batch == 1 && ma.batch == 1) ||
          refuse(d.name, "of shape " + in_words(d), "a has " + std::to_string(g.m) + " rows")))
        return nullptr;
    const weight_counts n = counts_of(g);
    g.weights = bytes_of(weights, n.weights, "the bytes of k x n weights");
    if (!PyErr_Occurred()) g.scales = list_of(scales, n.scale_type, n.scales, "the groups of k and columns");
    if (!PyErr_Occurred() && zeros.given()) g.zeros = bytes_of(zeros, n.zeros, "the bytes of zero points");
    if (PyErr_Occurred()) return nullptr;
    if (c.given()) {
        if (!matrix_of(c, false, mc) ||
            !((mc.rows == g.m && mc.columns == md.columns && mc.batch == 1 && c.type == d.type) ||
              refuse(c.name, "of shape " + in_words(c), "it has the shape and type of d")))
            return nullptr;
        g.c = c.data, g.ldc = mc.ld;
    }
    fade_stage stages[8];
    const product_shape shape{g.out, g.m, g.n, 1, 1};
    if (!read_product_stages(*self, list, g, shape, stages, views)) return nullptr;
    return call(*self, (*self->by)->fade_weight_gemm, g, how);
}

}  // namespace fade::python

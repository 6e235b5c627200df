// The methods of groups of rows and mixtures of experts: grouped_gemm, grouped_k_gemm, moe_route,
// moe_dispatch, moe_combine.
#include "matrix.hpp"
#include <algorithm>

namespace fade::python {
namespace {

/// One matrix whose rows lie in even steps.
bool rows_of(const view& v, matrix& out) {
    if (v.dimensions != 2) return refuse(v.name, "of shape " + in_words(v), "it is a matrix");
    return matrix_of(v, false, out);
}

/// A number of the library's type; one beyond it is larger than all that the library takes.
int capped(std::int64_t n) { return int(std::min<std::int64_t>(n, std::int64_t(1) << 30)); }

/// Strides of rows: a matrix of one row has none.
std::int64_t stride_of(const matrix& m) { return m.ld == 0 ? -1 : m.ld; }

/// D and C, and how A and B lie for them.
bool product_of(fade_grouped_gemm_args& g, const view& a, const view& b, const view& c, const view& d,
                bool listed, int joined) {
    matrix ma, mb, mc, md;
    if (b.dimensions != 3) return refuse(b.name, "of shape " + in_words(b), "it has a matrix for each group");
    if (!rows_of(a, ma) || !matrix_of(b, true, mb) || !rows_of(d, md)) return false;
    if (b.type != a.type) return refuse(b.name, "of another type than a", "a and b have one type");
    if (mb.rows != ma.columns)
        return refuse(b.name, "of shape " + in_words(b),
                      "a has " + std::to_string(ma.columns) + " columns, so its matrices have as many rows");
    g.in = a.type, g.out = d.type, g.layout = mb.transposed ? FADE_NT : FADE_NN, g.groups = capped(mb.batch);
    g.rows = md.rows, g.n = mb.columns, g.k = ma.columns, g.rows_of_a = ma.rows;
    g.lda = ma.ld, g.ldb = mb.ld, g.ldd = md.ld, g.stride_b = mb.stride;
    g.a = a.data, g.b = b.data, g.d = d.data;
    if (!has_shape(d, md, listed ? md.rows : ma.rows, mb.columns / joined)) return false;
    if (!c.given()) return true;
    if (!rows_of(c, mc) || !has_shape(c, mc, md.rows, md.columns)) return false;
    if (c.type != d.type) return refuse(c.name, "of another type than d", "it has the type of d");
    return g.c = c.data, g.ldc = mc.ld, true;
}

/// The D of all groups and their C, or one for all, and how the rows of A and B lie for them.
bool along_k_of(fade_grouped_k_gemm_args& g, const view& a, const view& b, const view& c, const view& d,
                int joined) {
    matrix ma, mb, mc, md;
    if (d.dimensions != 3) return refuse(d.name, "of shape " + in_words(d), "it has a matrix for each group");
    if (!rows_of(a, ma) || !rows_of(b, mb) || !matrix_of(d, false, md)) return false;
    if (b.type != a.type) return refuse(b.name, "of another type than a", "a and b have one type");
    if (!has_shape(b, mb, ma.rows, mb.columns) || !has_shape(d, md, ma.columns, mb.columns / joined))
        return false;
    g.in = a.type, g.out = d.type, g.groups = capped(md.batch);
    g.m = ma.columns, g.n = mb.columns, g.k = ma.rows;
    g.lda = ma.ld, g.ldb = mb.ld, g.ldd = md.ld, g.stride_d = md.stride;
    g.a = a.data, g.b = b.data, g.d = d.data;
    if (!c.given()) return true;
    if (!matrix_of(c, false, mc) || !has_shape(c, mc, md.rows, md.columns) || !same_batch(c, mc, md.batch))
        return false;
    if (c.type != d.type) return refuse(c.name, "of another type than d", "it has the type of d");
    return g.c = c.data, g.ldc = mc.ld, g.stride_c = mc.stride, true;
}

}  // namespace

// device.grouped_gemm(a, b, c, d, ends, row_list, stages, alpha, beta, check_indices, stream, strict,
// reports)
PyObject* grouped_gemm(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view a, b, c, d, ends, row_list, views[8];
    if (!from.tensor("a", a) || !from.tensor("b", b) || !from.tensor("c", c) || !from.tensor("out", d) ||
        !from.tensor("ends", ends) || !from.tensor("row_list", row_list))
        return nullptr;
    PyObject* list = from.object();
    fade_grouped_gemm_args g;
    (*self->by)->fade_grouped_gemm_init(&g, sizeof g);
    g.alpha = from.real(), g.beta = from.real(), g.check_indices = from.integer32();
    call_manner how;
    if (!how.take(from) || !on_device(*self, {&a, &b, &c, &ends, &row_list}, {&d})) return nullptr;
    if (!product_of(g, a, b, c, d, row_list.given(), columns_per_output(list))) return nullptr;
    g.ends = list_as<const int>(ends, FADE_I32, g.groups, "the groups");
    if (!PyErr_Occurred()) g.row_list = list_as<const int>(row_list, FADE_I32, g.rows, "the rows of d");
    fade_stage stages[8];
    const product_shape shape{g.out, g.rows, g.n, 1, g.groups};
    if (PyErr_Occurred() || !read_product_stages(*self, list, g, shape, stages, views)) return nullptr;
    return call(*self, (*self->by)->fade_grouped_gemm, g, how);
}

// device.grouped_k_gemm(a, b, c, d, ends, stages, alpha, beta, check_indices, stream, strict, reports)
PyObject* grouped_k_gemm(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view a, b, c, d, ends, views[8];
    if (!from.tensor("a", a) || !from.tensor("b", b) || !from.tensor("c", c) || !from.tensor("out", d) ||
        !from.tensor("ends", ends))
        return nullptr;
    PyObject* list = from.object();
    fade_grouped_k_gemm_args g;
    (*self->by)->fade_grouped_k_gemm_init(&g, sizeof g);
    g.alpha = from.real(), g.beta = from.real(), g.check_indices = from.integer32();
    call_manner how;
    if (!how.take(from) || !on_device(*self, {&a, &b, &c, &ends}, {&d})) return nullptr;
    if (!along_k_of(g, a, b, c, d, columns_per_output(list))) return nullptr;
    g.ends = list_as<const int>(ends, FADE_I32, g.groups, "the groups");
    fade_stage stages[8];
    const product_shape shape{g.out, g.m, g.n, g.groups, 1};
    if (PyErr_Occurred() || !read_product_stages(*self, list, g, shape, stages, views)) return nullptr;
    return call(*self, (*self->by)->fade_grouped_k_gemm, g, how);
}

// device.moe_route(logits, choices, weights, scoring, renormalize, weight_scale, stream, strict, reports)
PyObject* moe_route(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view logits, choices, weights;
    if (!from.tensor("logits", logits) || !from.tensor("choices", choices) ||
        !from.tensor("weights", weights))
        return nullptr;
    fade_moe_route_args a;
    (*self->by)->fade_moe_route_init(&a, sizeof a);
    a.scoring = from.integer32(), a.renormalize = from.integer32(), a.weight_scale = from.real();
    call_manner how;
    matrix m, chosen;
    if (!how.take(from) || !on_device(*self, {&logits}, {&choices, &weights}) || !rows_of(logits, m) ||
        !rows_of(choices, chosen) || !has_shape(choices, chosen, m.rows, chosen.columns))
        return nullptr;
    a.in = logits.type, a.tokens = m.rows, a.experts = m.columns, a.logits_stride = stride_of(m);
    a.top_k = capped(chosen.columns), a.logits = logits.data;
    a.choices = list_as<int>(choices, FADE_I32, m.rows * a.top_k, "the experts of each token");
    if (!PyErr_Occurred())
        a.weights = list_as<float>(weights, FADE_F32, m.rows * a.top_k, "the experts of each token");
    if (PyErr_Occurred()) return nullptr;
    return call(*self, (*self->by)->fade_moe_route, a, how);
}

// device.moe_dispatch(choices, ends, row_list, slots, stream, strict, reports)
PyObject* moe_dispatch(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view choices, ends, row_list, slots;
    if (!from.tensor("choices", choices) || !from.tensor("ends", ends) ||
        !from.tensor("row_list", row_list) || !from.tensor("slots", slots))
        return nullptr;
    fade_moe_dispatch_args a;
    (*self->by)->fade_moe_dispatch_init(&a, sizeof a);
    call_manner how;
    matrix m;
    if (!how.take(from) || !on_device(*self, {&choices}, {&ends, &row_list, &slots}) || !rows_of(choices, m))
        return nullptr;
    a.tokens = m.rows, a.top_k = capped(m.columns), a.experts = capped(ends.size());
    const std::int64_t chosen = choices.size();
    a.choices = list_as<const int>(choices, FADE_I32, chosen, "the experts of each token");
    if (!PyErr_Occurred()) a.ends = list_as<int>(ends, FADE_I32, a.experts, "the experts");
    if (!PyErr_Occurred()) a.row_list = list_as<int>(row_list, FADE_I32, chosen, "the choices");
    if (!PyErr_Occurred()) a.slots = list_as<int>(slots, FADE_I32, chosen, "the choices");
    if (PyErr_Occurred()) return nullptr;
    return call(*self, (*self->by)->fade_moe_dispatch, a, how);
}

// device.moe_combine(x, slots, weights, y, stream, strict, reports)
PyObject* moe_combine(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view x, slots, weights, y;
    if (!from.tensor("x", x) || !from.tensor("slots", slots) || !from.tensor("weights", weights) ||
        !from.tensor("out", y))
        return nullptr;
    fade_moe_combine_args a;
    (*self->by)->fade_moe_combine_init(&a, sizeof a);
    call_manner how;
    matrix mx, places, my;
    if (!how.take(from) || !on_device(*self, {&x, &slots, &weights}, {&y}) || !rows_of(x, mx) ||
        !rows_of(slots, places) || !rows_of(y, my) || !has_shape(y, my, places.rows, mx.columns))
        return nullptr;
    a.in = x.type, a.out = y.type, a.tokens = places.rows, a.top_k = capped(places.columns);
    a.columns = mx.columns, a.rows = mx.rows, a.x_stride = stride_of(mx), a.y_stride = stride_of(my);
    a.x = x.data, a.y = y.data;
    a.slots = list_as<const int>(slots, FADE_I32, slots.size(), "the choices");
    if (!PyErr_Occurred()) a.weights = list_as<const float>(weights, FADE_F32, slots.size(), "the choices");
    if (PyErr_Occurred()) return nullptr;
    return call(*self, (*self->by)->fade_moe_combine, a, how);
}

}  // namespace fade::python

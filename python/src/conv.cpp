// device.conv(pass, x, w, dy, c, out, db, w_zero, x_zero, stages, layout, batch, channels, filters, groups, 6
// x (d, h, w), split_k, algorithm,
//             alpha, beta, stream, strict, reports[, tuned]); pass: 0 forward, 1 backward data, 2 backward
//             weights
#include "spatial.hpp"
#include "stages.hpp"

namespace fade::python {
namespace {

struct element_counts {
    std::int64_t x, w, y;
};
element_counts counts_of(const fade_conv_args& a) {
    const auto &in = a.input, &f = a.filter, &s = a.stride, &l = a.dilation, &p = a.pad, &e = a.pad_end;
    const std::int64_t share = a.groups > 0 ? a.channels / a.groups : -1;
    return {product({a.batch, in.d, in.h, in.w, a.channels}), product({a.filters, f.d, f.h, f.w, share}),
            product({a.batch, outputs(in.d, f.d, s.d, l.d, p.d, e.d), outputs(in.h, f.h, s.h, l.h, p.h, e.h),
                     outputs(in.w, f.w, s.w, l.w, p.w, e.w), a.filters})};
}

/// Memory of a stage: one value a column or row, or a matrix of the result with channels last.
bool stage_memory(const view& v, int type, std::int64_t rows, std::int64_t columns, fade_stage& s) {
    if (!takes_memory(s.kind)) return true;
    const bool by_columns = takes_columns(s.kind), by_rows = takes_rows(s.kind);
    const std::int64_t count = by_columns ? columns : by_rows ? rows : rows * columns;
    s.values = list_of(v, type, count,
                       by_columns ? "its columns"
                       : by_rows  ? "its rows"
                                  : "the result's elements");
    return s.values ||
           (!PyErr_Occurred() && (count == 0 || refuse(v.name, "None", "the stage has a tensor")));
}

}  // namespace

PyObject* conv(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    const std::int64_t pass = from.integer();
    view x, w, dy, c, out, db, w_zero, views[8];
    if (!from.tensor("x", x) || !from.tensor("w", w) || !from.tensor("dy", dy) || !from.tensor("c", c) ||
        !from.tensor("out", out) || !from.tensor("bias_gradient", db) || !from.tensor("w_zero", w_zero))
        return nullptr;
    fade_conv_args a;
    (*self->by)->fade_conv_init(&a, sizeof a);
    a.x_zero = from.integer32();
    PyObject* list = from.object();
    a.layout = from.integer32(), a.batch = from.integer(), a.channels = from.integer32();
    a.filters = from.integer32(), a.groups = from.integer32();
    for (fade_spatial* s : {&a.input, &a.filter, &a.stride, &a.dilation, &a.pad, &a.pad_end})
        *s = spatial_of(from);
    a.split_k = from.integer32(), a.algorithm = from.integer32(), a.alpha = from.real(), a.beta = from.real();
    call_manner how;
    if (!how.take_all(from) || !on_device(*self, {&x, &w, &dy, &c, &w_zero}, {&out, &db})) return nullptr;
    const element_counts n = counts_of(a);
    const std::int64_t results = pass == 0 ? n.y : pass == 1 ? n.x : n.w;
    const std::int64_t columns = pass == 0       ? a.filters
                                 : pass == 1     ? a.channels
                                 : a.filters > 0 ? n.w / a.filters
                                                 : 0;
    a.in = pass == 0 ? x.type : dy.type, a.out = out.type;
    a.x = list_of(x, a.in, n.x, "the elements of x"), a.w = list_of(w, a.in, n.w, "the elements of w");
    if (!PyErr_Occurred()) a.dy = list_of(dy, a.in, n.y, "the elements of y");
    if (!PyErr_Occurred()) a.c = list_of(c, out.type, results, "the result's elements");
    if (!PyErr_Occurred()) a.result = list_as<void>(out, out.type, results, "the result's elements");
    if (!PyErr_Occurred()) a.db = list_as<void>(db, out.type, a.filters, "the filters");
    if (!PyErr_Occurred()) a.w_zero = list_as<const std::int32_t>(w_zero, FADE_I32, a.filters, "the filters");
    fade_stage stages[8];
    const auto memory = [&](const view& v, fade_stage& s) {
        return stage_memory(v, out.type, columns > 0 ? results / columns : 0, columns, s);
    };
    if (PyErr_Occurred() || !read_stages(*self, list, a, stages, views, memory)) return nullptr;
    const library& by = **self->by;
    using calls = tuned_calls<fade_conv_args>;
    const calls passes[] = {{by.fade_conv_forward, by.fade_find_conv_forward, by.fade_verify_conv_forward,
                             by.fade_background_conv_forward},
                            {by.fade_conv_backward_data, by.fade_find_conv_backward_data,
                             by.fade_verify_conv_backward_data, nullptr},
                            {by.fade_conv_backward_weights, by.fade_find_conv_backward_weights,
                             by.fade_verify_conv_backward_weights, nullptr}};
    return call_or_find(*self, passes[pass == 0 ? 0 : pass == 1 ? 1 : 2], a, how);
}

}  // namespace fade::python

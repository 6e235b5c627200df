// The methods of operators over images. Each takes its tensors, its numbers in the order of fade_images.h,
// and how the call is made. What memory must hold is counted here.
#include "spatial.hpp"

namespace fade::python {
namespace {

std::int64_t volume(const fade_spatial& s) { return product({s.d, s.h, s.w}); }

template <class S>
void take_images(taken& from, S& a) {
    a.layout = from.integer32(), a.batch = from.integer(), a.channels = from.integer32();
}

void* images(const view& v, int type, std::int64_t elements) {
    return PyErr_Occurred() ? nullptr : list_as<void>(v, type, elements, "the images' elements");
}
float* vector(const view& v, std::int64_t count) {
    return PyErr_Occurred() ? nullptr : list_as<float>(v, FADE_F32, count, "the channels");
}

/// Windows of an image.
std::int64_t windows(const fade_pool_args& a) {
    const auto along = [&](int input, int taps, int stride, int dilation, int before, int behind) {
        return outputs(input, taps, stride, dilation, before, behind, a.ceil_mode != 0);
    };
    const auto &in = a.input, &t = a.window, &s = a.stride, &l = a.dilation, &p = a.pad, &e = a.pad_end;
    return product({along(in.d, t.d, s.d, l.d, p.d, e.d), along(in.h, t.h, s.h, l.h, p.h, e.h),
                    along(in.w, t.w, s.w, l.w, p.w, e.w)});
}

}  // namespace

/// pool(is_mean, is_gradient, x, y, indices, layout, batch, channels, 6 x (d, h, w), ceil_mode,
/// count_include_pad, ...); of a gradient x and y are dx and dy.
PyObject* pool(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    const bool is_mean = from.integer() != 0, is_gradient = from.integer() != 0;
    view x, y, indices;
    if (!from.tensor(is_gradient ? "out" : "x", x) || !from.tensor(is_gradient ? "dy" : "out", y) ||
        !from.tensor("indices", indices))
        return nullptr;
    const library& by = **self->by;
    fade_pool_args a;
    by.fade_pool_init(&a, sizeof a);
    take_images(from, a);
    for (fade_spatial* s : {&a.input, &a.window, &a.stride, &a.dilation, &a.pad, &a.pad_end})
        *s = spatial_of(from);
    a.ceil_mode = from.integer32(), a.count_include_pad = from.integer32();
    call_manner how;
    if (!how.take(from)) return nullptr;
    if (is_gradient ? !on_device(*self, {&y, &indices}, {&x}) : !on_device(*self, {&x}, {&y, &indices}))
        return nullptr;
    const std::int64_t of_x = product({a.batch, a.channels, volume(a.input)}),
                       of_y = product({a.batch, a.channels, windows(a)});
    a.in = is_gradient ? y.type : x.type;
    void *at_x = images(x, a.in, of_x), *at_y = images(y, a.in, of_y);
    if (is_gradient)
        a.dy = at_y, a.dx = at_x;
    else
        a.x = at_x, a.y = at_y;
    if (!PyErr_Occurred()) a.indices = list_as<int>(indices, FADE_I32, of_y, "the windows");
    if (PyErr_Occurred()) return nullptr;
    const auto call_max = is_gradient ? by.fade_max_pool_gradient : by.fade_max_pool;
    const auto call_mean = is_gradient ? by.fade_avg_pool_gradient : by.fade_avg_pool;
    return call(*self, is_mean ? call_mean : call_max, a, how);
}

/// batch_norm(x, out, weight, bias, mean, inverse_root, running_mean, running_variance, layout, batch,
/// channels, (d, h, w), epsilon, momentum, ...)
PyObject* batch_norm(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view x, y, weight, bias, mean, root, running_mean, running_variance;
    if (!from.tensor("x", x) || !from.tensor("out", y) || !from.tensor("weight", weight) ||
        !from.tensor("bias", bias) || !from.tensor("mean", mean) || !from.tensor("inverse_root", root) ||
        !from.tensor("running_mean", running_mean) || !from.tensor("running_variance", running_variance))
        return nullptr;
    fade_batch_norm_args a;
    (*self->by)->fade_batch_norm_init(&a, sizeof a);
    take_images(from, a);
    a.image = spatial_of(from), a.epsilon = from.real(), a.momentum = from.real();
    call_manner how;
    if (!how.take(from) ||
        !on_device(*self, {&x, &weight, &bias}, {&y, &mean, &root, &running_mean, &running_variance}))
        return nullptr;
    const std::int64_t elements = product({a.batch, a.channels, volume(a.image)});
    a.in = x.type, a.x = images(x, x.type, elements), a.y = images(y, x.type, elements);
    a.weight = vector(weight, a.channels), a.bias = vector(bias, a.channels);
    a.mean = vector(mean, a.channels), a.inverse_root = vector(root, a.channels);
    a.running_mean = vector(running_mean, a.channels);
    a.running_variance = vector(running_variance, a.channels);
    if (PyErr_Occurred()) return nullptr;
    return call(*self, (*self->by)->fade_batch_norm, a, how);
}

/// batch_norm_inference(x, out, weight, bias, mean, variance, layout, batch, channels, (d, h, w), epsilon,
/// ...)
PyObject* batch_norm_inference(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view x, y, weight, bias, mean, variance;
    if (!from.tensor("x", x) || !from.tensor("out", y) || !from.tensor("weight", weight) ||
        !from.tensor("bias", bias) || !from.tensor("mean", mean) || !from.tensor("variance", variance))
        return nullptr;
    fade_batch_norm_inference_args a;
    (*self->by)->fade_batch_norm_inference_init(&a, sizeof a);
    take_images(from, a);
    a.image = spatial_of(from), a.epsilon = from.real();
    call_manner how;
    if (!how.take(from) || !on_device(*self, {&x, &weight, &bias, &mean, &variance}, {&y})) return nullptr;
    const std::int64_t elements = product({a.batch, a.channels, volume(a.image)});
    a.in = x.type, a.x = images(x, x.type, elements), a.y = images(y, x.type, elements);
    a.weight = vector(weight, a.channels), a.bias = vector(bias, a.channels);
    a.mean = vector(mean, a.channels), a.variance = vector(variance, a.channels);
    if (PyErr_Occurred()) return nullptr;
    return call(*self, (*self->by)->fade_batch_norm_inference, a, how);
}

/// batch_norm_gradient(dy, x, weight, mean, inverse_root, dx, dweight, dbias, layout, batch, channels,
/// (d, h, w), ...)
PyObject* batch_norm_gradient(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view dy, x, weight, mean, root, dx, dweight, dbias;
    if (!from.tensor("dy", dy) || !from.tensor("x", x) || !from.tensor("weight", weight) ||
        !from.tensor("mean", mean) || !from.tensor("inverse_root", root) || !from.tensor("out", dx) ||
        !from.tensor("dweight", dweight) || !from.tensor("dbias", dbias))
        return nullptr;
    fade_batch_norm_gradient_args a;
    (*self->by)->fade_batch_norm_gradient_init(&a, sizeof a);
    take_images(from, a);
    a.image = spatial_of(from);
    call_manner how;
    if (!how.take(from) || !on_device(*self, {&dy, &x, &weight, &mean, &root}, {&dx, &dweight, &dbias}))
        return nullptr;
    const std::int64_t elements = product({a.batch, a.channels, volume(a.image)});
    a.in = x.type, a.x = images(x, x.type, elements), a.dy = images(dy, x.type, elements);
    a.dx = images(dx, x.type, elements), a.weight = vector(weight, a.channels);
    a.mean = vector(mean, a.channels), a.inverse_root = vector(root, a.channels);
    a.dweight = vector(dweight, a.channels), a.dbias = vector(dbias, a.channels);
    if (PyErr_Occurred()) return nullptr;
    return call(*self, (*self->by)->fade_batch_norm_gradient, a, how);
}

/// fold_into_filter(w, out, bias, folded_bias, weight, shift, mean, variance, filters, elements, epsilon,
/// ...)
PyObject* fold_into_filter(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view filter, folded, bias, folded_bias, weight, shift, mean, variance;
    if (!from.tensor("w", filter) || !from.tensor("out", folded) || !from.tensor("bias", bias) ||
        !from.tensor("folded_bias", folded_bias) || !from.tensor("weight", weight) ||
        !from.tensor("shift", shift) || !from.tensor("mean", mean) || !from.tensor("variance", variance))
        return nullptr;
    fade_fold_args a;
    (*self->by)->fade_fold_init(&a, sizeof a);
    a.filters = from.integer(), a.elements = from.integer(), a.epsilon = from.real();
    call_manner how;
    if (!how.take(from) ||
        !on_device(*self, {&filter, &bias, &weight, &shift, &mean, &variance}, {&folded, &folded_bias}))
        return nullptr;
    const std::int64_t elements = product({a.filters, a.elements});
    a.in = filter.type, a.filter = images(filter, a.in, elements), a.folded = images(folded, a.in, elements);
    a.bias = vector(bias, a.filters), a.folded_bias = vector(folded_bias, a.filters);
    a.weight = vector(weight, a.filters), a.shift = vector(shift, a.filters);
    a.mean = vector(mean, a.filters), a.variance = vector(variance, a.filters);
    if (PyErr_Occurred()) return nullptr;
    return call(*self, (*self->by)->fade_fold_into_filter, a, how);
}

/// upsample(is_gradient, x, y, layout, batch, channels, mode, align_corners, 2 x (d, h, w), ...); of a
/// gradient x and y are dx and dy.
PyObject* upsample(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    const bool is_gradient = from.integer() != 0;
    view x, y;
    if (!from.tensor(is_gradient ? "out" : "x", x) || !from.tensor(is_gradient ? "dy" : "out", y))
        return nullptr;
    const library& by = **self->by;
    fade_upsample_args a;
    by.fade_upsample_init(&a, sizeof a);
    take_images(from, a);
    a.mode = from.integer32(), a.align_corners = from.integer32();
    a.input = spatial_of(from), a.output = spatial_of(from);
    call_manner how;
    if (!how.take(from) || !on_device(*self, {is_gradient ? &y : &x}, {is_gradient ? &x : &y}))
        return nullptr;
    a.in = is_gradient ? y.type : x.type;
    void* at_x = images(x, a.in, product({a.batch, a.channels, volume(a.input)}));
    void* at_y = images(y, a.in, product({a.batch, a.channels, volume(a.output)}));
    if (PyErr_Occurred()) return nullptr;
    if (is_gradient)
        a.dy = at_y, a.dx = at_x;
    else
        a.x = at_x, a.y = at_y;
    return call(*self, is_gradient ? by.fade_upsample_gradient : by.fade_upsample, a, how);
}

namespace {

/// The numbers of both methods that sample.
void take_samples(taken& from, fade_grid_sample_args& a) {
    take_images(from, a);
    a.dimensions = from.integer32(), a.mode = from.integer32(), a.padding = from.integer32();
    a.align_corners = from.integer32(), a.input = spatial_of(from), a.output = spatial_of(from);
}

float* points(const view& v, const fade_grid_sample_args& a) {
    if (PyErr_Occurred()) return nullptr;
    return list_as<float>(v, FADE_F32, product({a.batch, volume(a.output), a.dimensions}),
                          "the points' coordinates");
}

}  // namespace

/// grid_sample(x, grid, out, layout, batch, channels, dimensions, mode, padding, align_corners,
/// 2 x (d, h, w), ...)
PyObject* grid_sample(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view x, grid, y;
    if (!from.tensor("x", x) || !from.tensor("grid", grid) || !from.tensor("out", y)) return nullptr;
    fade_grid_sample_args a;
    (*self->by)->fade_grid_sample_init(&a, sizeof a);
    take_samples(from, a);
    call_manner how;
    if (!how.take(from) || !on_device(*self, {&x, &grid}, {&y})) return nullptr;
    a.in = x.type, a.x = images(x, a.in, product({a.batch, a.channels, volume(a.input)}));
    a.grid = points(grid, a), a.y = images(y, a.in, product({a.batch, a.channels, volume(a.output)}));
    if (PyErr_Occurred()) return nullptr;
    return call(*self, (*self->by)->fade_grid_sample, a, how);
}

/// grid_sample_gradient(dy, x, grid, dx, dgrid, and numbers as of grid_sample)
PyObject* grid_sample_gradient(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view dy, x, grid, dx, dgrid;
    if (!from.tensor("dy", dy) || !from.tensor("x", x) || !from.tensor("grid", grid) ||
        !from.tensor("dx", dx) || !from.tensor("dgrid", dgrid))
        return nullptr;
    fade_grid_sample_args a;
    (*self->by)->fade_grid_sample_init(&a, sizeof a);
    take_samples(from, a);
    call_manner how;
    if (!how.take(from) || !on_device(*self, {&dy, &x, &grid}, {&dx, &dgrid})) return nullptr;
    const std::int64_t of_x = product({a.batch, a.channels, volume(a.input)});
    a.in = dy.type, a.x = images(x, a.in, of_x), a.dx = images(dx, a.in, of_x);
    a.dy = images(dy, a.in, product({a.batch, a.channels, volume(a.output)}));
    a.grid = points(grid, a), a.dgrid = points(dgrid, a);
    if (PyErr_Occurred()) return nullptr;
    return call(*self, (*self->by)->fade_grid_sample_gradient, a, how);
}

}  // namespace fade::python

// The methods of steps of optimizers: sgd_step, adamw_step, find_nonfinite.
#include "device.hpp"

namespace fade::python {
namespace {

/// What all steps have: a gradient, parameters, state of as many elements, a copy, and one number.
template <class S>
bool step_of(S& s, const view& gradient, const view& master, const view& copy, const view& nonfinite) {
    s.in = gradient.type, s.count = master.size();
    s.gradient = list_of(gradient, gradient.type, s.count, "the parameters");
    if (!PyErr_Occurred()) s.master = list_as<float>(master, FADE_F32, s.count, "the parameters");
    if (!PyErr_Occurred() && copy.given()) {
        s.out = copy.type;
        s.copy = list_as<void>(copy, copy.type, s.count, "the parameters");
    }
    if (!PyErr_Occurred()) s.nonfinite = list_as<const float>(nonfinite, FADE_F32, 1, "one number");
    return !PyErr_Occurred();
}

}  // namespace

// device.sgd_step(gradient, master, velocity, copy, nonfinite, rate, momentum, weight_decay, nesterov,
// loss_scale, stream, strict, reports)
PyObject* sgd_step(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view gradient, master, velocity, copy, nonfinite;
    if (!from.tensor("gradient", gradient) || !from.tensor("master", master) ||
        !from.tensor("velocity", velocity) || !from.tensor("copy", copy) ||
        !from.tensor("nonfinite", nonfinite))
        return nullptr;
    fade_sgd_args a;
    (*self->by)->fade_sgd_init(&a, sizeof a);
    a.rate = from.real(), a.momentum = from.real(), a.weight_decay = from.real();
    a.nesterov = from.integer32(), a.loss_scale = from.real();
    call_manner how;
    if (!how.take(from) || !on_device(*self, {&gradient, &nonfinite}, {&master, &velocity, &copy}) ||
        !step_of(a, gradient, master, copy, nonfinite))
        return nullptr;
    a.velocity = list_as<float>(velocity, FADE_F32, a.count, "the parameters");
    if (PyErr_Occurred()) return nullptr;
    return call(*self, (*self->by)->fade_sgd_step, a, how);
}

// device.adamw_step(gradient, master, first_moment, second_moment, copy, nonfinite, step, rate, beta1, beta2,
// epsilon, weight_decay, loss_scale, stream, strict, reports)
PyObject* adamw_step(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view gradient, master, first, second, copy, nonfinite;
    if (!from.tensor("gradient", gradient) || !from.tensor("master", master) ||
        !from.tensor("first_moment", first) || !from.tensor("second_moment", second) ||
        !from.tensor("copy", copy) || !from.tensor("nonfinite", nonfinite))
        return nullptr;
    fade_adamw_args a;
    (*self->by)->fade_adamw_init(&a, sizeof a);
    a.step = from.integer(), a.rate = from.real(), a.beta1 = from.real(), a.beta2 = from.real();
    a.epsilon = from.real(), a.weight_decay = from.real(), a.loss_scale = from.real();
    call_manner how;
    if (!how.take(from) || !on_device(*self, {&gradient, &nonfinite}, {&master, &first, &second, &copy}) ||
        !step_of(a, gradient, master, copy, nonfinite))
        return nullptr;
    a.first_moment = list_as<float>(first, FADE_F32, a.count, "the parameters");
    if (!PyErr_Occurred()) a.second_moment = list_as<float>(second, FADE_F32, a.count, "the parameters");
    if (PyErr_Occurred()) return nullptr;
    return call(*self, (*self->by)->fade_adamw_step, a, how);
}

// device.find_nonfinite(gradient, nonfinite, memory, stream, strict, reports)
PyObject* find_nonfinite(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view gradient, nonfinite;
    if (!from.tensor("gradient", gradient) || !from.tensor("out", nonfinite)) return nullptr;
    fade_nonfinite_args a;
    (*self->by)->fade_nonfinite_init(&a, sizeof a);
    call_manner how;
    if (!how.take(from) || !on_device(*self, {&gradient}, {&nonfinite})) return nullptr;
    a.in = gradient.type, a.count = gradient.size();
    a.gradient = list_of(gradient, gradient.type, a.count, "the gradient");
    if (!PyErr_Occurred()) a.nonfinite = list_as<float>(nonfinite, FADE_F32, 1, "one number");
    if (PyErr_Occurred()) return nullptr;
    return call(*self, (*self->by)->fade_find_nonfinite, a, how);
}

}  // namespace fade::python

// A device of libfade as a Python object, and what all its methods share.
#pragma once
#include "library.hpp"
#include "view.hpp"
#include <initializer_list>

namespace fade::python {

struct device_object {
    PyObject ob_base;
    std::shared_ptr<library>* by;
    fade_device* device;
    memory where;
    int id;
};

/// The arguments of a method, taken from the left; a wrong one sets an error, after which all are zero.
class taken {
public:
    taken(PyObject* const* at, Py_ssize_t count) : at_(at), end_(at + count) {}

    /// Sees a tensor, or None.
    bool tensor(const char* name, view& to) {
        if (at_ == end_) return missing();
        return see(*at_++, name, to);
    }
    PyObject* object() { return at_ == end_ ? (missing(), nullptr) : *at_++; }
    std::int64_t integer() {
        PyObject* o = object();
        return o ? PyLong_AsLongLong(o) : 0;
    }
    /// An integer that a call keeps in 32 bits.
    int integer32() {
        const std::int64_t wide = integer();
        if (wide == int(wide)) return int(wide);
        PyErr_Format(PyExc_OverflowError, "%lld does not fit in 32 bits", static_cast<long long>(wide));
        return 0;
    }
    double real() {
        PyObject* o = object();
        return o ? PyFloat_AsDouble(o) : 0;
    }
    bool more() const { return at_ != end_; }
    /// Were there as many as asked for, and all of the right kind?
    bool done() {
        if (at_ != end_ && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "too many arguments");
        return !PyErr_Occurred();
    }

private:
    static bool missing() {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "too few arguments");
        return false;
    }
    PyObject* const* at_;
    PyObject* const* end_;
};

/// How a call is made: the last three arguments of every method. The stream is a number, or where a framework
/// captures a graph (number, what gives a tensor of so many bytes).
struct call_manner {
    void* stream = nullptr;
    PyObject* gives_memory = nullptr;
    PyObject* tuned = nullptr;  ///< a Tuning, or of a find (Tuning, mode, enforce, budget, tolerance)
    bool strict = false, reports = false;
    void take_stream(taken& from);
    void take_wishes(taken& from);  ///< strict, reports
    void take_tuned(taken& from);   ///< where there is one argument more
    bool take(taken& from);         ///< stream and wishes, and nothing is left
    bool take_all(taken& from);     ///< what asks databases, too
    bool is_find() const { return tuned && PyTuple_Check(tuned); }
};

/// Do these tensors lie where the device of the call can read them? Those that are written must be writable.
bool on_device(const device_object& d, std::initializer_list<const view*> read,
               std::initializer_list<const view*> written);

/// The report of a call as a tuple, None where it was not asked for, null with an error where the call was
/// refused.
PyObject* answer(const library& by, fade_status status, fade_report* report);

/// Memory of a framework for what a plan needs, which it closes. False with an error where there is none.
bool memory_for(device_object& d, fade_plan* plan, PyObject* gives_memory, view& memory, fade_options& o);

/// A captured graph outlives what the device keeps, and nothing may be allocated meanwhile but by the
/// framework, from the graph's own pool: what the call needs is asked first.
template <class S>
bool reserve(device_object& d, fade_status (*f)(fade_device*, const S*, const fade_options*),
             const S& arguments, PyObject* gives_memory, view& memory, fade_options& o) {
    fade_plan* plan = nullptr;
    o.plan = &plan;
    const fade_status status = f(d.device, &arguments, &o);
    o.plan = nullptr;
    if (status != FADE_OK) return answer(**d.by, status, nullptr) != nullptr;
    return memory_for(d, plan, gives_memory, memory, o);
}

/// The database that a call asks; null with an error where it is of another library.
const fade_tuning* tuning_of(const device_object& d, PyObject* tuned);

/// Calls a function of the library without Python's lock.
template <class S>
PyObject* call(device_object& d, fade_status (*f)(fade_device*, const S*, const fade_options*),
               const S& arguments, const call_manner& how) {
    const library& by = **d.by;
    fade_options o;
    by.fade_options_init(&o, sizeof o);
    fade_report* report = nullptr;
    o.stream = how.stream, o.strict = how.strict;
    if (how.tuned && !(o.tuned = tuning_of(d, how.tuned))) return nullptr;
    view memory;
    if (how.gives_memory && !reserve(d, f, arguments, how.gives_memory, memory, o)) return nullptr;
    if (how.reports) o.report = &report;
    fade_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = f(d.device, &arguments, &o);
    Py_END_ALLOW_THREADS;
    return answer(by, status, report);
}

/// The functions of an operation that has tuned policies; give: to a background, null where it takes none.
template <class S>
struct tuned_calls {
    fade_status (*run)(fade_device*, const S*, const fade_options*);
    fade_status (*find)(fade_device*, const S*, fade_tuning*, const fade_find_options*, fade_found**);
    fade_status (*verify)(fade_device*, const S*, fade_tuning*, fade_found**);
    fade_status (*give)(fade_tuning*, const S*, std::int32_t threads, std::int32_t* taken);
};

/// What stands in a call's place: (database, mode, enforce, budget, tolerance) is a find, (database,) a
/// verification, (background, threads) a problem for a background.
struct asked_of_tuning {
    fade_tuning* tuning = nullptr;
    fade_find_options options;
    int threads = 0;
    bool finds = false, gives = false;
};
/// False with an error where it is no such tuple.
bool take_asked(const device_object& d, PyObject* tuned, asked_of_tuning& to);
/// What a find did as a tuple; null with an error where it was refused.
PyObject* answer_of_find(const library& by, fade_status status, fade_found* found);

/// Calls an operation that has tuned policies, or what stands in its place.
template <class S>
PyObject* call_or_find(device_object& d, const tuned_calls<S>& by, const S& arguments,
                       const call_manner& how) {
    if (!how.is_find()) return call(d, by.run, arguments, how);
    asked_of_tuning asked;
    if (!take_asked(d, how.tuned, asked)) return nullptr;
    if (asked.gives && !by.give)
        return refuse("database", "a Background", "it times gemm, attention and conv_forward"), nullptr;
    fade_found* found = nullptr;
    std::int32_t taken = 0;
    fade_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = asked.gives   ? by.give(asked.tuning, &arguments, asked.threads, &taken)
             : asked.finds ? by.find(d.device, &arguments, asked.tuning, &asked.options, &found)
                           : by.verify(d.device, &arguments, asked.tuning, &found);
    Py_END_ALLOW_THREADS;
    if (!asked.gives) return answer_of_find(**d.by, status, found);
    return status == FADE_OK ? PyBool_FromLong(taken) : answer(**d.by, status, nullptr);
}

/// A list of `count` elements of a type side by side: its address; null where it is not given or an error is
/// set.
const void* list_of(const view& v, int type, std::int64_t count, const char* of);
template <class T>
T* list_as(const view& v, int type, std::int64_t count, const char* of) {
    return static_cast<T*>(const_cast<void*>(list_of(v, type, count, of)));
}

std::string in_words(const view& v);  ///< "[2, 3]"

using method = PyObject* (*)(device_object* self, PyObject* const* arguments, Py_ssize_t count);
PyObject* gemm(device_object*, PyObject* const*, Py_ssize_t);
PyObject* batched_gemm(device_object*, PyObject* const*, Py_ssize_t);
PyObject* grouped_gemm(device_object*, PyObject* const*, Py_ssize_t);
PyObject* grouped_k_gemm(device_object*, PyObject* const*, Py_ssize_t);
PyObject* scaled_gemm(device_object*, PyObject* const*, Py_ssize_t);
PyObject* weight_gemm(device_object*, PyObject* const*, Py_ssize_t);
PyObject* grouped_weight_gemm(device_object*, PyObject* const*, Py_ssize_t);
PyObject* moe_route(device_object*, PyObject* const*, Py_ssize_t);
PyObject* moe_dispatch(device_object*, PyObject* const*, Py_ssize_t);
PyObject* moe_combine(device_object*, PyObject* const*, Py_ssize_t);
PyObject* sgd_step(device_object*, PyObject* const*, Py_ssize_t);
PyObject* adamw_step(device_object*, PyObject* const*, Py_ssize_t);
PyObject* find_nonfinite(device_object*, PyObject* const*, Py_ssize_t);
PyObject* attention(device_object*, PyObject* const*, Py_ssize_t);
PyObject* append_kv(device_object*, PyObject* const*, Py_ssize_t);
PyObject* quantize(device_object*, PyObject* const*, Py_ssize_t);
PyObject* norm(device_object*, PyObject* const*, Py_ssize_t);
PyObject* norm_gradient(device_object*, PyObject* const*, Py_ssize_t);
PyObject* softmax(device_object*, PyObject* const*, Py_ssize_t);
PyObject* softmax_gradient(device_object*, PyObject* const*, Py_ssize_t);
PyObject* cross_entropy(device_object*, PyObject* const*, Py_ssize_t);
PyObject* cross_entropy_gradient(device_object*, PyObject* const*, Py_ssize_t);
PyObject* reduce(device_object*, PyObject* const*, Py_ssize_t);
PyObject* top_k(device_object*, PyObject* const*, Py_ssize_t);
PyObject* rotary(device_object*, PyObject* const*, Py_ssize_t);
PyObject* sort(device_object*, PyObject* const*, Py_ssize_t);
PyObject* scan(device_object*, PyObject* const*, Py_ssize_t);
PyObject* reduce_list(device_object*, PyObject* const*, Py_ssize_t);
PyObject* histogram(device_object*, PyObject* const*, Py_ssize_t);
PyObject* list_top_k(device_object*, PyObject* const*, Py_ssize_t);
PyObject* select(device_object*, PyObject* const*, Py_ssize_t);
PyObject* conv(device_object*, PyObject* const*, Py_ssize_t);
PyObject* pool(device_object*, PyObject* const*, Py_ssize_t);
PyObject* batch_norm(device_object*, PyObject* const*, Py_ssize_t);
PyObject* batch_norm_inference(device_object*, PyObject* const*, Py_ssize_t);
PyObject* batch_norm_gradient(device_object*, PyObject* const*, Py_ssize_t);
PyObject* fold_into_filter(device_object*, PyObject* const*, Py_ssize_t);
PyObject* upsample(device_object*, PyObject* const*, Py_ssize_t);
PyObject* grid_sample(device_object*, PyObject* const*, Py_ssize_t);
PyObject* grid_sample_gradient(device_object*, PyObject* const*, Py_ssize_t);
PyObject* open_tuning(device_object*, PyObject* const*, Py_ssize_t);
PyObject* library_of(device_object*, PyObject* const*, Py_ssize_t);

/// Sees the matrices of a table of pointers; a function of the module.
PyObject* pointers(PyObject*, PyObject* arguments);

/// Quick(function, devices, causes, watchers): what stands for attention; and know_torch(type, makers, grad
/// mode, names of GPUs, stream of a GPU, is it capturing, makers of strided memory on CPUs and GPUs or None,
/// types by fade_dtype, what records calls, names of forward mode), by which it knows PyTorch.
PyObject* make_quick_type();
PyObject* know_torch(PyObject*, PyObject* arguments);

/// A new tensor of PyTorch of the shape and type of packed q, made without its dispatcher, on the current
/// device, which may be another than q's; null, without an error, where PyTorch has no such way.
PyObject* packed_like(const view& q);

/// The type of databases, for the module.
bool make_tuning_type();

}  // namespace fade::python

// Functions whose usual calls are answered here: attention of three tensors of PyTorch, with few words or
// none, is over before Python has sorted the many arguments that it may have. All other calls go to the
// function in Python that this one stands for, whose results are the same.
#include "device.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <structmember.h>
#include <utility>

namespace fade::python {
namespace {

/// What PyTorch says of itself (fade._tensors.Torch).
struct torch_words {
    PyObject *type = nullptr, *makers = nullptr, *wants_gradients = nullptr, *places = nullptr,
             *stream = nullptr, *capturing = nullptr, *strided = nullptr, *types = nullptr,
             *watchers = nullptr,     ///< functions of which each says whether PyTorch records calls now
                 *forward = nullptr;  ///< the names of its forward mode of differentiation
} torch;

/// What a call with the same numbers as nearly all others passes on.
struct usual_numbers {
    PyObject *none = PyLong_FromLong(0), *all_keys = PyLong_FromLong(-1), *zero = PyFloat_FromDouble(0);
};
const usual_numbers& usual() {
    static const usual_numbers these;
    return these;
}

struct quick_object {
    PyObject ob_base;
    vectorcallfunc call;
    PyObject *dict, *weak_references, *function, *devices, *causes;
    PyObject* watchers;  ///< of an operator: more functions, of what else in PyTorch wants to see it now
};

PyObject* word(const char* name) { return PyUnicode_InternFromString(name); }

/// A new reference that is given back.
struct held {
    PyObject* at;
    explicit held(PyObject* o) : at(o) {}
    held(const held&) = delete;
    ~held() { Py_XDECREF(at); }
};

bool is_true(PyObject* called_or_read) {
    const held out(called_or_read);
    return out.at && PyObject_IsTrue(out.at) == 1;
}

/// A property of a type in C as the function behind it, which is called without a look-up by name; null where
/// the type says it another way.
struct property {
    PyTypeObject* of = nullptr;
    const PyGetSetDef* known = nullptr;

    PyObject* read(PyObject* object, PyObject* name) {
        if (Py_TYPE(object) != of) {
            of = Py_TYPE(object), known = nullptr;
            const held found(PyObject_GetAttr(reinterpret_cast<PyObject*>(of), name));
            if (found.at && Py_TYPE(found.at) == &PyGetSetDescr_Type)
                known = reinterpret_cast<PyGetSetDescrObject*>(found.at)->d_getset;
            PyErr_Clear();
        }
        return known ? known->get(object, known->closure) : PyObject_GetAttr(object, name);
    }
};

bool is_watched(PyObject* watchers) {
    for (Py_ssize_t i = 0; watchers && i < PyTuple_GET_SIZE(watchers); ++i)
        if (is_true(PyObject_CallNoArgs(PyTuple_GET_ITEM(watchers, i)))) return true;
    return PyErr_Occurred() != nullptr;
}

/// May tensors have tangents, of which FADE knows nothing?
bool is_forward_mode() {
    static PyObject* const name = word("_current_level");
    PyObject* level = PyDict_GetItemWithError(torch.forward, name);
    return level && PyLong_AsLong(level) >= 0;
}

/// The arguments of a usual call: what is missing is null.
struct usual_call {
    PyObject *q, *k, *v, *bias = nullptr, *causal = nullptr, *scale = nullptr, *out = nullptr,
                         *return_lse = nullptr;

    bool take(PyObject* const* at, Py_ssize_t count, PyObject* names, bool is_operator) {
        static PyObject *const of_bias = word("bias"), *const of_causal = word("causal"),
                               *const of_scale = word("scale"), *const of_out = word("out"),
                               *const of_lse = word("return_lse");
        const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
        if (count < 3 || count > (is_operator ? 5 : 3) || (is_operator && named)) return false;
        q = at[0], k = at[1], v = at[2];
        if (count > 3) bias = at[3];
        if (count > 4) causal = at[4];
        for (Py_ssize_t i = 0; i < named; ++i) {
            PyObject* name = PyTuple_GET_ITEM(names, i);  // of source text, so it is interned
            PyObject** const to = name == of_causal  ? &causal
                                  : name == of_scale ? &scale
                                  : name == of_bias  ? &bias
                                  : name == of_out   ? &out
                                  : name == of_lse   ? &return_lse
                                                     : nullptr;
            if (!to) return false;
            *to = at[count + i];
        }
        for (PyObject** one : {&bias, &scale, &out})
            if (*one == Py_None) *one = nullptr;
        if (return_lse == Py_False) return_lse = nullptr;
        return (!scale || PyFloat_CheckExact(scale)) && (!return_lse || return_lse == Py_True);
    }
    /// Tensors of PyTorch's own type, none of which needs a gradient.
    bool is_plain() const {
        const auto type = reinterpret_cast<PyTypeObject*>(torch.type);
        if (!type || Py_TYPE(q) != type || Py_TYPE(k) != type || Py_TYPE(v) != type ||
            (bias && Py_TYPE(bias) != type) || (out && Py_TYPE(out) != type))
            return false;
        if (is_watched(torch.watchers) || is_forward_mode()) return false;
        if (!is_true(PyObject_CallNoArgs(torch.wants_gradients))) return !PyErr_Occurred();
        static PyObject* const name = word("requires_grad");
        static property requires_grad;  // of torch.Tensor, which lives as long as the process
        for (PyObject* t : {q, k, v, bias})
            if (t && is_true(requires_grad.read(t, name))) return false;
        return !PyErr_Occurred();
    }
};

/// This thread's device where q lies and its stream, both new references; null where they are found in
/// Python.
struct place {
    PyObject *device = nullptr, *stream = nullptr;
    ~place() { Py_XDECREF(device), Py_XDECREF(stream); }

    /// As find(), by what DLPack says of the tensor.
    bool find_at_once(PyObject* devices, PyObject* q) {
        memory where;
        int id = 0;
        void* queue = nullptr;
        if (!place_of(q, where, id, queue)) return false;
        const bool on_cpu = where == memory::cpu;
        // CUDA and HIP capture no graph on the stream that has no handle.
        if (!on_cpu &&
            (id >= PyList_GET_SIZE(torch.places) || (queue && is_true(PyObject_CallNoArgs(torch.capturing)))))
            return false;
        static PyObject* const host = word("host");
        device = device_of(devices, on_cpu ? host : PyList_GET_ITEM(torch.places, id));
        stream = on_cpu ? Py_NewRef(usual().none) : PyLong_FromVoidPtr(queue);
        return device && stream;
    }
    bool find(PyObject* devices, PyObject* q) {
        if (find_at_once(devices, q)) return true;
        if (PyErr_Occurred() || device) return false;
        static PyObject *const is_cuda = word("is_cuda"), *const is_cpu = word("is_cpu"),
                               *const get_device = word("get_device"), *const host = word("host");
        PyObject* name = host;
        if (is_true(PyObject_GetAttr(q, is_cuda))) {
            const held number(PyObject_CallMethodNoArgs(q, get_device));
            const Py_ssize_t id = number.at ? PyLong_AsSsize_t(number.at) : -1;
            if (id < 0 || id >= PyList_GET_SIZE(torch.places) ||
                is_true(PyObject_CallNoArgs(torch.capturing)))
                return false;
            name = PyList_GET_ITEM(torch.places, id);
            stream = PyObject_CallOneArg(torch.stream, number.at);
        } else {
            if (!is_true(PyObject_GetAttr(q, is_cpu))) return false;
            stream = usual().none;
            Py_INCREF(stream);
        }
        device = stream ? device_of(devices, name) : nullptr;
        return device != nullptr;
    }

private:
    /// This thread's device of that name, a new reference. The last one is remembered: it lives as long as
    /// the state that Python keeps of the thread, whose number no later one has.
    static PyObject* device_of(PyObject* devices, PyObject* name) {
        struct last_device {
            std::uint64_t thread = 0;
            PyObject *devices = nullptr, *name = nullptr, *device = nullptr;
        };
        static thread_local last_device last;
        const std::uint64_t thread = PyThreadState_GetID(PyThreadState_Get());
        if (last.thread == thread && last.devices == devices && last.name == name && last.device)
            return Py_NewRef(last.device);
        static PyObject* const of_c = word("_c");
        const held known(PyObject_GetAttr(devices, name));
        PyObject* found = known.at ? PyObject_GetAttr(known.at, of_c) : nullptr;
        last = {thread, devices, name, found};
        return found;
    }
};

/// An empty tensor of PyTorch on the current device of q's kind, rows after rows; null where PyTorch has no
/// such function. `last` has the sizes of the last call: calls that are short come in rows.
struct last_sizes {
    int dimensions = -1;
    std::int64_t shape[view::max_dimensions];
    PyObject *sizes = nullptr, *strides = nullptr;
};
PyObject* packed(const std::int64_t* shape, int dimensions, int type, memory where, last_sizes& last) {
    if (!torch.strided || torch.strided == Py_None) return nullptr;
    if (last.dimensions != dimensions || !std::equal(shape, shape + dimensions, last.shape)) {
        PyObject *sizes = PyTuple_New(dimensions), *strides = PyTuple_New(dimensions);
        std::int64_t step = 1;
        for (int i = dimensions - 1; sizes && strides && i >= 0; --i) {
            PyTuple_SET_ITEM(sizes, i, PyLong_FromLongLong(shape[i]));
            PyTuple_SET_ITEM(strides, i, PyLong_FromLongLong(step));
            step *= std::max<std::int64_t>(shape[i], 1);
        }
        std::swap(last.sizes, sizes), std::swap(last.strides, strides);
        Py_XDECREF(sizes), Py_XDECREF(strides);
        last.dimensions = last.sizes && last.strides ? dimensions : -1;
        std::copy(shape, shape + dimensions, last.shape);
        if (last.dimensions < 0 || PyErr_Occurred()) return last.dimensions = -1, nullptr;
    }
    PyObject* of_type = PyTuple_GET_ITEM(torch.types, type);
    if (of_type == Py_None) return nullptr;
    PyObject* const arguments[] = {last.sizes, last.strides, of_type};
    return PyObject_Vectorcall(PyTuple_GET_ITEM(torch.strided, where != memory::cpu), arguments, 3, nullptr);
}

/// [batch, heads, positions] in float32 where q lies, a new reference; null where Python makes it.
PyObject* lse_of(PyObject* q) {
    static last_sizes last;
    view of, to;
    if (!see(q, "q", of) || of.dimensions != 4) return nullptr;
    const std::int64_t shape[] = {of.shape[0], of.shape[2], of.shape[1]};
    PyObject* made = packed(shape, 3, FADE_F32, of.where, last);
    if (made && see(made, "lse", to) && to.where == of.where && to.device == of.device) return made;
    Py_XDECREF(made);
    return nullptr;
}

/// What it returns, Py_NotImplemented (of which no reference is kept) where Python answers, null with an
/// error.
PyObject* answered_here(const quick_object& self, PyObject* const* at, Py_ssize_t count, PyObject* names) {
    usual_call given;
    place on;
    if (!given.take(at, count, names, self.watchers) || !given.is_plain() || is_watched(self.watchers) ||
        !on.find(self.devices, given.q))
        return Py_NotImplemented;
    PyObject* causal = usual().none;
    if (given.causal && !(causal = PyDict_GetItemWithError(self.causes, given.causal)))
        return Py_NotImplemented;
    const held lse(given.return_lse ? lse_of(given.q) : nullptr);
    if (given.return_lse && !lse.at) return Py_NotImplemented;
    const usual_numbers& n = usual();
    PyObject* const all[] = {given.q,
                             given.k,
                             given.v,
                             given.out ? given.out : torch.makers,
                             lse.at ? lse.at : Py_None,
                             given.bias ? given.bias : Py_None,
                             causal,
                             n.all_keys,
                             n.all_keys,
                             given.scale ? given.scale : n.zero,
                             n.zero,
                             n.zero,
                             n.none,
                             on.stream};
    PyObject* made = attention(reinterpret_cast<device_object*>(on.device), all, std::size(all));
    if (made == Py_None) {
        Py_DECREF(made);
        made = Py_NewRef(given.out);
    }
    if (!made || !lse.at) return made;
    const held out(made);
    return PyTuple_Pack(2, made, lse.at);
}

PyObject* called(PyObject* object, PyObject* const* at, std::size_t flagged, PyObject* names) {
    const auto& self = *reinterpret_cast<quick_object*>(object);
    try {
        PyObject* out = answered_here(self, at, PyVectorcall_NARGS(flagged), names);
        if (out != Py_NotImplemented) return out;
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    }
    PyErr_Clear();  // whatever it was, Python meets it too and says it
    return PyObject_Vectorcall(self.function, at, flagged, names);
}

/// Quick(function, devices, causes, watchers of an operator or None)
PyObject* made(PyTypeObject* type, PyObject* arguments, PyObject*) {
    PyObject *function, *devices, *causes, *watchers;
    if (!PyArg_ParseTuple(arguments, "OOO!O", &function, &devices, &PyDict_Type, &causes, &watchers))
        return nullptr;
    if (watchers != Py_None && !PyTuple_Check(watchers)) {
        PyErr_SetString(PyExc_TypeError, "watchers are a tuple of functions");
        return nullptr;
    }
    auto* out = reinterpret_cast<quick_object*>(type->tp_alloc(type, 0));
    if (!out) return nullptr;
    out->call = called, out->function = function, out->devices = devices, out->causes = causes;
    out->watchers = watchers == Py_None ? nullptr : watchers;
    for (PyObject* one : {function, devices, causes, out->watchers}) Py_XINCREF(one);
    return reinterpret_cast<PyObject*>(out);
}
void freed(PyObject* object) {
    const auto& self = *reinterpret_cast<quick_object*>(object);
    if (self.weak_references) PyObject_ClearWeakRefs(object);
    for (PyObject* one : {self.dict, self.function, self.devices, self.causes, self.watchers})
        Py_XDECREF(one);
    PyTypeObject* type = Py_TYPE(object);
    type->tp_free(object);
    Py_DECREF(type);
}
/// In a class it is a method, as functions are.
PyObject* bound(PyObject* self, PyObject* to, PyObject*) {
    if (to && to != Py_None) return PyMethod_New(self, to);
    Py_INCREF(self);
    return self;
}

/// Copies are itself, and pickles its name, as those of functions.
PyObject* reduced(PyObject* self, PyObject*) { return PyObject_GetAttrString(self, "__qualname__"); }

PyMethodDef quick_methods[] = {{"__reduce__", &reduced, METH_NOARGS, nullptr}, {}};
PyMemberDef members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(quick_object, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(quick_object, weak_references), READONLY, nullptr},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(quick_object, call), READONLY, nullptr},
    {}};
PyGetSetDef attributes[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                            {}};
PyType_Slot quick_slots[] = {{Py_tp_new, reinterpret_cast<void*>(&made)},
                             {Py_tp_dealloc, reinterpret_cast<void*>(&freed)},
                             {Py_tp_call, reinterpret_cast<void*>(&PyVectorcall_Call)},
                             {Py_tp_descr_get, reinterpret_cast<void*>(&bound)},
                             {Py_tp_members, members},
                             {Py_tp_methods, quick_methods},
                             {Py_tp_getset, attributes},
                             {}};
PyType_Spec quick_spec{"fade._c.Quick", sizeof(quick_object), 0,
                       Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, quick_slots};

}  // namespace

PyObject* make_quick_type() { return PyType_FromSpec(&quick_spec); }

PyObject* packed_like(const view& q) {
    static last_sizes last;
    return packed(q.shape, q.dimensions, q.type, q.where, last);
}

PyObject* know_torch(PyObject*, PyObject* arguments) {
    torch_words t;
    if (!PyArg_ParseTuple(arguments, "O!O!OO!OOOO!O!O!", &PyType_Type, &t.type, &PyTuple_Type, &t.makers,
                          &t.wants_gradients, &PyList_Type, &t.places, &t.stream, &t.capturing, &t.strided,
                          &PyTuple_Type, &t.types, &PyTuple_Type, &t.watchers, &PyDict_Type, &t.forward))
        return nullptr;
    for (PyObject* one : {t.type, t.makers, t.wants_gradients, t.places, t.stream, t.capturing, t.strided,
                          t.types, t.watchers, t.forward})
        Py_INCREF(one);
    torch = t;  // once in a process, which keeps them
    Py_RETURN_NONE;
}

}  // namespace fade::python

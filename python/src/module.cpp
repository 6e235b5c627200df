// The module fade._c: libraries, devices, and what knows tensors. Python code in fade/ is its only caller.
#include "device.hpp"
#include "dlpack.hpp"
#include <new>

namespace fade::python {
namespace {

struct library_object {
    PyObject ob_base;
    std::shared_ptr<library>* by;
};

PyTypeObject *library_type, *device_type;

template <class Object>
void free_object(PyObject* self) {
    auto* o = reinterpret_cast<Object*>(self);
    if constexpr (requires { o->device; })
        if (o->device) (*o->by)->fade_device_close(o->device);
    delete o->by;
    PyTypeObject* type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

/// A method of a device: no C++ exception gets out.
template <method Of>
PyObject* guarded(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
    try {
        return Of(reinterpret_cast<device_object*>(self), arguments, count);
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    }
}
template <method Of>
PyMethodDef entry(const char* name) {
    return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&guarded<Of>)), METH_FASTCALL,
            nullptr};
}

PyObject* load_library(PyObject*, PyObject* path) {
    const char* words = PyUnicode_AsUTF8(path);
    if (!words) return nullptr;
    std::string why_not;
    auto by = load(words, why_not);
    if (!by) return refuse("library", words, why_not), nullptr;
    auto* out = reinterpret_cast<library_object*>(library_type->tp_alloc(library_type, 0));
    if (out) out->by = new std::shared_ptr<library>(std::move(by));
    return reinterpret_cast<PyObject*>(out);
}

/// open(name, kind of memory, ordinal, threads, compute_units)
PyObject* open_device(PyObject* self, PyObject* arguments) {
    const char* name;
    int where, id, threads, units;
    if (!PyArg_ParseTuple(arguments, "siiii", &name, &where, &id, &threads, &units)) return nullptr;
    const auto& by = *reinterpret_cast<library_object*>(self)->by;
    fade_device_config c;
    by->fade_device_config_init(&c, sizeof c);
    c.threads = threads, c.compute_units = units;
    fade_device* device = nullptr;
    const fade_status status = by->fade_device_open(name, &c, &device);
    if (status != FADE_OK) return answer(*by, status, nullptr);
    auto* out = reinterpret_cast<device_object*>(device_type->tp_alloc(device_type, 0));
    if (!out) return by->fade_device_close(device), nullptr;
    out->by = new std::shared_ptr<library>(by), out->device = device, out->where = memory(where),
    out->id = id;
    return reinterpret_cast<PyObject*>(out);
}

/// [(kind, how many devices there are)]
PyObject* kinds(PyObject* self, PyObject*) {
    const library& by = **reinterpret_cast<library_object*>(self)->by;
    PyObject* out = PyList_New(0);
    for (int i = 0; out && i < by.fade_kind_count(); ++i) {
        PyObject* one = Py_BuildValue("(si)", by.fade_kind(i), by.fade_device_count(by.fade_kind(i)));
        if (!one || PyList_Append(out, one)) Py_CLEAR(out);
        Py_XDECREF(one);
    }
    return out;
}

PyObject* version(PyObject* self, PyObject*) {
    return PyUnicode_FromString((*reinterpret_cast<library_object*>(self)->by)->fade_version());
}

PyObject* learn_type(PyObject*, PyObject* arguments) {
    PyObject* dtype;
    int type;
    if (!PyArg_ParseTuple(arguments, "Oi", &dtype, &type)) return nullptr;
    know_type(dtype, type);
    Py_RETURN_NONE;
}
PyObject* learn_error(PyObject*, PyObject* error) {
    set_error_class(error);
    Py_RETURN_NONE;
}

/// (memory, device, type, shape, strides) of a tensor, as calls see it.
PyObject* seen(PyObject*, PyObject* object) {
    view v;
    if (!see(object, "x", v)) return nullptr;
    PyObject *shape = PyTuple_New(v.dimensions), *strides = PyTuple_New(v.dimensions);
    for (int i = 0; shape && strides && i < v.dimensions; ++i) {
        PyTuple_SET_ITEM(shape, i, PyLong_FromLongLong(v.shape[i]));
        PyTuple_SET_ITEM(strides, i, PyLong_FromLongLong(v.strides[i]));
    }
    return Py_BuildValue("(iiiNN)", int(v.where), v.device, v.type, shape, strides);
}

PyObject* guarded_pointers(PyObject* self, PyObject* arguments) {
    try {
        return pointers(self, arguments);
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    }
}

PyMethodDef library_methods[] = {{"open", open_device, METH_VARARGS, nullptr},
                                 {"kinds", kinds, METH_NOARGS, nullptr},
                                 {"version", version, METH_NOARGS, nullptr},
                                 {}};
PyMethodDef device_methods[] = {entry<gemm>("gemm"),
                                entry<batched_gemm>("batched_gemm"),
                                entry<grouped_gemm>("grouped_gemm"),
                                entry<grouped_k_gemm>("grouped_k_gemm"),
                                entry<scaled_gemm>("scaled_gemm"),
                                entry<weight_gemm>("weight_gemm"),
                                entry<grouped_weight_gemm>("grouped_weight_gemm"),
                                entry<moe_route>("moe_route"),
                                entry<moe_dispatch>("moe_dispatch"),
                                entry<moe_combine>("moe_combine"),
                                entry<sgd_step>("sgd_step"),
                                entry<adamw_step>("adamw_step"),
                                entry<find_nonfinite>("find_nonfinite"),
                                entry<attention>("attention"),
                                entry<append_kv>("append_kv"),
                                entry<quantize>("quantize"),
                                entry<norm>("norm"),
                                entry<norm_gradient>("norm_gradient"),
                                entry<softmax>("softmax"),
                                entry<softmax_gradient>("softmax_gradient"),
                                entry<cross_entropy>("cross_entropy"),
                                entry<cross_entropy_gradient>("cross_entropy_gradient"),
                                entry<reduce>("reduce"),
                                entry<top_k>("top_k"),
                                entry<rotary>("rotary"),
                                entry<sort>("sort"),
                                entry<scan>("scan"),
                                entry<reduce_list>("reduce_list"),
                                entry<histogram>("histogram"),
                                entry<list_top_k>("list_top_k"),
                                entry<select>("select"),
                                entry<conv>("conv"),
                                entry<pool>("pool"),
                                entry<batch_norm>("batch_norm"),
                                entry<batch_norm_inference>("batch_norm_inference"),
                                entry<batch_norm_gradient>("batch_norm_gradient"),
                                entry<fold_into_filter>("fold_into_filter"),
                                entry<upsample>("upsample"),
                                entry<grid_sample>("grid_sample"),
                                entry<grid_sample_gradient>("grid_sample_gradient"),
                                entry<open_tuning>("open_tuning"),
                                entry<library_of>("library"),
                                {}};
PyMethodDef module_methods[] = {{"load", load_library, METH_O, nullptr},
                                {"know_type", learn_type, METH_VARARGS, nullptr},
                                {"set_error", learn_error, METH_O, nullptr},
                                {"know_torch", know_torch, METH_VARARGS, nullptr},
                                {"pointers", guarded_pointers, METH_VARARGS, nullptr},
                                {"seen", seen, METH_O, nullptr},
                                {}};

PyType_Slot library_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(&free_object<library_object>)},
                               {Py_tp_methods, library_methods},
                               {}};
PyType_Slot device_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(&free_object<device_object>)},
                              {Py_tp_methods, device_methods},
                              {}};
constexpr unsigned type_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
PyType_Spec library_spec{"fade._c.Library", sizeof(library_object), 0, type_flags, library_slots};
PyType_Spec device_spec{"fade._c.Device", sizeof(device_object), 0, type_flags, device_slots};
PyModuleDef definition{
    PyModuleDef_HEAD_INIT, "fade._c", nullptr, -1, module_methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace
}  // namespace fade::python

PyMODINIT_FUNC PyInit__c() {
    using namespace fade::python;
    library_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&library_spec));
    device_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&device_spec));
    if (!library_type || !device_type || !make_tuning_type()) return nullptr;
    set_error_class(PyExc_ValueError);
    PyObject *module = PyModule_Create(&definition), *quick = make_quick_type();
    if (!module || !quick || PyModule_AddObject(module, "Quick", quick)) return nullptr;
    return module;
}

// Databases of tuned policies: device.open_tuning(user, [system]) gives one of the device's library.
#include "device.hpp"
#include <vector>

namespace fade::python {
namespace {

struct tuning_object {
    PyObject ob_base;
    std::shared_ptr<library>* by;
    fade_tuning* tuning;
};
PyTypeObject* tuning_type;

void free_tuning(PyObject* self) {
    auto* o = reinterpret_cast<tuning_object*>(self);
    if (o->tuning) (*o->by)->fade_tuning_close(o->tuning);
    delete o->by;
    PyTypeObject* type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyObject* refused_writes(PyObject* self, PyObject*) {
    auto* o = reinterpret_cast<tuning_object*>(self);
    return PyUnicode_FromString((*o->by)->fade_tuning_refused_writes(o->tuning));
}

PyMethodDef methods[] = {{"refused_writes", refused_writes, METH_NOARGS, nullptr}, {}};
PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(&free_tuning)}, {Py_tp_methods, methods}, {}};
PyType_Spec spec{"fade._c.Tuning", sizeof(tuning_object), 0,
                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

/// Null with an error where it is no database of this library.
fade_tuning* tuning_in(const device_object& d, PyObject* object) {
    if (Py_TYPE(object) != tuning_type)
        return refuse("tuned", std::string("a ") + Py_TYPE(object)->tp_name, "it is a fade.tune.Database"),
               nullptr;
    auto* o = reinterpret_cast<tuning_object*>(object);
    if (o->by->get() != d.by->get())
        return refuse("tuned", "opened by another library", "a device asks databases of its own library"),
               nullptr;
    return o->tuning;
}

}  // namespace

bool make_tuning_type() {
    tuning_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
    return tuning_type != nullptr;
}

PyObject* open_tuning(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    PyObject *user = from.object(), *system = from.object();
    if (!from.done()) return nullptr;
    const char* path = PyUnicode_AsUTF8(user);
    if (!path || !PyList_Check(system))
        return PyErr_Occurred() ? nullptr : PyErr_Format(PyExc_TypeError, "a list");
    std::vector<const char*> paths;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(system); ++i) {
        paths.push_back(PyUnicode_AsUTF8(PyList_GET_ITEM(system, i)));
        if (!paths.back()) return nullptr;
    }
    const library& by = **self->by;
    fade_tuning_files files;
    by.fade_tuning_files_init(&files, sizeof files);
    files.user = path, files.system = paths.data(), files.system_count = int(paths.size());
    fade_tuning* opened = nullptr;
    const fade_status status = by.fade_tuning_open(&files, &opened);
    if (status != FADE_OK) return answer(by, status, nullptr);
    auto* out = reinterpret_cast<tuning_object*>(tuning_type->tp_alloc(tuning_type, 0));
    if (!out) return by.fade_tuning_close(opened), nullptr;
    out->by = new std::shared_ptr<library>(*self->by), out->tuning = opened;
    return reinterpret_cast<PyObject*>(out);
}

PyObject* library_of(device_object* self, PyObject* const*, Py_ssize_t) {
    return PyLong_FromVoidPtr(self->by->get());
}

const fade_tuning* tuning_of(const device_object& d, PyObject* tuned) { return tuning_in(d, tuned); }

bool options_of_find(const device_object& d, PyObject* tuned, fade_tuning*& tuning, fade_find_options& to) {
    PyObject* database;
    (*d.by)->fade_find_options_init(&to, sizeof to);
    if (!PyArg_ParseTuple(tuned, "Oiidd", &database, &to.mode, &to.enforce, &to.budget, &to.tolerance))
        return false;
    tuning = tuning_in(d, database);
    return tuning != nullptr;
}

PyObject* answer_of_find(const library& by, fade_status status, fade_found* found) {
    if (status != FADE_OK) return answer(by, status, nullptr);
    fade_found_numbers n{};
    n.size = sizeof n;
    by.fade_found_read(found, &n);
    PyObject* out = Py_BuildValue(
        "(isssssOOiddd)", n.source, by.fade_found_text(found, FADE_FOUND_WHY),
        by.fade_found_text(found, FADE_FOUND_KIND), by.fade_found_text(found, FADE_FOUND_POLICY),
        by.fade_found_text(found, FADE_FOUND_EVIDENCE), by.fade_found_text(found, FADE_FOUND_TRAITS),
        n.kept ? Py_True : Py_False, n.whole ? Py_True : Py_False, n.candidates, n.nanoseconds,
        n.model_nanoseconds, n.noise);
    by.fade_found_close(found);
    return out;
}

}  // namespace fade::python

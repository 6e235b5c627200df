// Databases of tuned policies: device.open_tuning(user, [system], budget) gives one of the device's library,
// with a thread that times where the budget is above 0.
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
    if (o->tuning) {
        Py_BEGIN_ALLOW_THREADS;  // a background ends the call that it times
        (*o->by)->fade_tuning_close(o->tuning);
        Py_END_ALLOW_THREADS;
    }
    delete o->by;
    PyTypeObject* type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyObject* refused_writes(PyObject* self, PyObject*) {
    auto* o = reinterpret_cast<tuning_object*>(self);
    return PyUnicode_FromString((*o->by)->fade_tuning_refused_writes(o->tuning));
}

/// Rows as tuples: kind, sizes, arch, traits, fingerprint, compiler, version, policy, evidence, nanoseconds,
/// noise, date.
PyObject* row_as_tuple(const fade_tuning_row& r) {
    PyObject* sizes = PyTuple_New(r.size_count);
    for (std::int64_t i = 0; sizes && i < r.size_count; ++i)
        PyTuple_SET_ITEM(sizes, i, PyLong_FromLongLong(r.sizes[i]));
    if (!sizes) return nullptr;
    return Py_BuildValue("(sNsssssssddL)", r.kind, sizes, r.arch, r.traits, r.fingerprint, r.compiler,
                         r.version, r.policy, r.evidence, r.nanoseconds, r.noise,
                         static_cast<long long>(r.date));
}
PyObject* rows(PyObject* self, PyObject*) {
    auto* o = reinterpret_cast<tuning_object*>(self);
    PyObject* list = PyList_New(0);
    if (!list) return nullptr;
    const fade_status status = (*o->by)->fade_tuning_each_row(
        o->tuning,
        [](void* to, const fade_tuning_row* r) {
            PyObject* one = row_as_tuple(*r);
            const int wrong = !one || PyList_Append(static_cast<PyObject*>(to), one) != 0;
            Py_XDECREF(one);
            return std::int32_t(wrong);
        },
        list);
    if (status == FADE_OK && !PyErr_Occurred()) return list;
    Py_DECREF(list);
    return status == FADE_OK ? nullptr : answer(**o->by, status, nullptr);
}
/// A row of such a tuple, whose strings it keeps; false with an error where it is none.
bool row_of_tuple(const library& by, PyObject* tuple, fade_tuning_row& r, std::vector<std::int64_t>& sizes) {
    by.fade_tuning_row_init(&r, sizeof r);
    PyObject* of_sizes;
    long long date;
    if (!PyArg_ParseTuple(tuple, "sO!sszzzszddL", &r.kind, &PyTuple_Type, &of_sizes, &r.arch, &r.traits,
                          &r.fingerprint, &r.compiler, &r.version, &r.policy, &r.evidence, &r.nanoseconds,
                          &r.noise, &date))
        return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(of_sizes); ++i)
        sizes.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(of_sizes, i)));
    r.sizes = sizes.data(), r.size_count = std::int64_t(sizes.size()), r.date = date;
    return !PyErr_Occurred();
}
PyObject* put(PyObject* self, PyObject* row) {
    auto* o = reinterpret_cast<tuning_object*>(self);
    fade_tuning_row r;
    std::vector<std::int64_t> sizes;
    if (!row_of_tuple(**o->by, row, r, sizes)) return nullptr;
    return answer(**o->by, (*o->by)->fade_tuning_put(o->tuning, &r), nullptr);
}
PyObject* remove(PyObject* self, PyObject* row) {
    auto* o = reinterpret_cast<tuning_object*>(self);
    fade_tuning_row r;
    std::vector<std::int64_t> sizes;
    if (!row_of_tuple(**o->by, row, r, sizes)) return nullptr;
    std::int32_t removed = 0;
    const fade_status status = (*o->by)->fade_tuning_remove(o->tuning, &r, &removed);
    return status == FADE_OK ? PyBool_FromLong(removed) : answer(**o->by, status, nullptr);
}
/// What a background has done: done, left, kept, ended, seconds, failure.
PyObject* progress(PyObject* self, PyObject*) {
    auto* o = reinterpret_cast<tuning_object*>(self);
    fade_background_numbers n{};
    n.size = sizeof n;
    const char* failure = nullptr;
    const fade_status status = (*o->by)->fade_background_read(o->tuning, &n, &failure);
    if (status != FADE_OK) return answer(**o->by, status, nullptr);
    return Py_BuildValue("(iiiOds)", n.done, n.left, n.kept, n.ended ? Py_True : Py_False, n.seconds,
                         failure);
}

PyMethodDef tuning_methods[] = {{"refused_writes", refused_writes, METH_NOARGS, nullptr},
                                {"rows", rows, METH_NOARGS, nullptr},
                                {"put", put, METH_O, nullptr},
                                {"remove", remove, METH_O, nullptr},
                                {"progress", progress, METH_NOARGS, nullptr},
                                {}};
PyType_Slot tuning_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(&free_tuning)}, {Py_tp_methods, tuning_methods}, {}};
PyType_Spec tuning_spec{"fade._c.Tuning", sizeof(tuning_object), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, tuning_slots};

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
    tuning_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&tuning_spec));
    return tuning_type != nullptr;
}

PyObject* open_tuning(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    PyObject *user = from.object(), *system = from.object();
    const double budget = from.real();
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
    const fade_status status = budget > 0 ? by.fade_tuning_open_background(&files, budget, &opened)
                                          : by.fade_tuning_open(&files, &opened);
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

bool take_asked(const device_object& d, PyObject* tuned, asked_of_tuning& to) {
    (*d.by)->fade_find_options_init(&to.options, sizeof to.options);
    PyObject* database;
    const Py_ssize_t words = PyTuple_GET_SIZE(tuned);
    to.finds = words == 5, to.gives = words == 2;
    fade_find_options& o = to.options;
    const bool taken =
        to.finds   ? PyArg_ParseTuple(tuned, "Oiidd", &database, &o.mode, &o.enforce, &o.budget, &o.tolerance)
        : to.gives ? PyArg_ParseTuple(tuned, "Oi", &database, &to.threads)
                   : PyArg_ParseTuple(tuned, "O", &database);
    to.tuning = taken ? tuning_in(d, database) : nullptr;
    return to.tuning != nullptr;
}

PyObject* answer_of_find(const library& by, fade_status status, fade_found* found) {
    if (status != FADE_OK) return answer(by, status, nullptr);
    fade_found_numbers n{};
    n.size = sizeof n;
    by.fade_found_read(found, &n);
    PyObject* out = Py_BuildValue(
        "(isssssOOidddOd)", n.source, by.fade_found_text(found, FADE_FOUND_WHY),
        by.fade_found_text(found, FADE_FOUND_KIND), by.fade_found_text(found, FADE_FOUND_POLICY),
        by.fade_found_text(found, FADE_FOUND_EVIDENCE), by.fade_found_text(found, FADE_FOUND_TRAITS),
        n.kept ? Py_True : Py_False, n.whole ? Py_True : Py_False, n.candidates, n.nanoseconds,
        n.model_nanoseconds, n.noise, n.of_model ? Py_True : Py_False, n.drift);
    by.fade_found_close(found);
    return out;
}

}  // namespace fade::python

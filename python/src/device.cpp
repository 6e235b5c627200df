#include "device.hpp"

namespace fade::python {
namespace {

const char* name_of(memory m) { return m == memory::cpu ? "cpu" : m == memory::cuda ? "cuda" : "rocm"; }

bool lies_there(const device_object& d, const view& v) {
    if (!v.given() || (v.where == d.where && v.device == d.id)) return true;
    const std::string at =
        name_of(v.where) + (v.where == memory::cpu ? std::string() : ":" + std::to_string(v.device));
    return refuse(v.name, "in memory of " + at,
                  "this call runs on " + std::string(name_of(d.where)) +
                      (d.where == memory::cpu ? "" : ":" + std::to_string(d.id)) +
                      ", where all its tensors must lie");
}

}  // namespace

void call_manner::take_stream(taken& from) {
    PyObject* number = from.object();
    if (number && PyTuple_Check(number) && PyTuple_GET_SIZE(number) == 2)
        gives_memory = PyTuple_GET_ITEM(number, 1), number = PyTuple_GET_ITEM(number, 0);
    stream = number ? PyLong_AsVoidPtr(number) : nullptr;
}

void call_manner::take_wishes(taken& from) { strict = from.integer() != 0, reports = from.integer() != 0; }

void call_manner::take_tuned(taken& from) {
    if (from.more()) tuned = from.object();
    if (tuned == Py_None) tuned = nullptr;
}

bool call_manner::take_all(taken& from) {
    take_stream(from), take_wishes(from), take_tuned(from);
    return from.done();
}

bool call_manner::take(taken& from) {
    take_stream(from), take_wishes(from);
    return from.done();
}

bool on_device(const device_object& d, std::initializer_list<const view*> read,
               std::initializer_list<const view*> written) {
    for (const view* v : read)
        if (!lies_there(d, *v)) return false;
    for (const view* v : written) {
        if (!lies_there(d, *v)) return false;
        if (!v->writable) return refuse(v->name, "read-only", "it is written");
    }
    return true;
}

PyObject* answer(const library& by, fade_status status, fade_report* report) {
    if (status != FADE_OK) {
        const fade_error* e = by.fade_last_error();
        if (status == FADE_NO_MEMORY) return PyErr_NoMemory();
        return refuse(e->argument, e->value, e->rule), nullptr;
    }
    if (!report) Py_RETURN_NONE;
    PyObject* out = Py_BuildValue(
        "(ssssssO)", by.fade_report_text(report, FADE_REPORT_REQUESTED),
        by.fade_report_text(report, FADE_REPORT_CHOSEN), by.fade_report_text(report, FADE_REPORT_WHY),
        by.fade_report_text(report, FADE_REPORT_DEVICE), by.fade_report_text(report, FADE_REPORT_ARCH),
        by.fade_report_text(report, FADE_REPORT_EVIDENCE),
        by.fade_report_fallback(report) ? Py_True : Py_False);
    by.fade_report_close(report);
    return out;
}

bool memory_for(device_object& d, fade_plan* plan, PyObject* gives_memory, view& memory, fade_options& o) {
    const library& by = **d.by;
    const std::size_t bytes = by.fade_plan_workspace_bytes(plan);
    by.fade_plan_close(plan);
    if (!bytes) return true;
    PyObject* given = PyObject_CallFunction(gives_memory, "n", Py_ssize_t(bytes));
    if (!given) return false;
    const bool seen = see(given, "workspace", memory);
    PyObject* owner = memory.kept;  // of an array, the capsule by which it was seen
    memory.kept = given;
    Py_XDECREF(owner);
    if (!seen || !on_device(d, {}, {&memory})) return false;
    o.workspace = memory.data, o.workspace_bytes = std::size_t(memory.size());
    return true;
}

const char* const type_names[] = {
    "float64", "float32",       "float16",     "bfloat16",        "int8",
    "int32",   "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"};

const void* list_of(const view& v, int type, std::int64_t count, const char* of) {
    if (!v.given()) return nullptr;
    if (v.type == type && v.size() == count && v.packed()) return v.data;
    const std::string rule = std::string("it is one ") + type_names[type] + " for each of " + of + ", " +
                             std::to_string(count) + " side by side";
    refuse(v.name,
           v.type == type ? "of shape " + in_words(v) + (v.packed() ? "" : " with gaps")
                          : std::string("of ") + type_names[v.type],
           rule);
    return nullptr;
}

std::string in_words(const view& v) {
    std::string out = "[";
    for (int i = 0; i < v.dimensions; ++i) out += (i ? ", " : "") + std::to_string(v.shape[i]);
    return out + "]";
}

}  // namespace fade::python

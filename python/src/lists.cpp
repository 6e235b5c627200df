// The methods of primitives over lists: sort, scan, select, reductions, histogram, list_top_k.
#include "device.hpp"
#include <algorithm>

namespace fade::python {
namespace {

/// A list: one dimension, side by side.
bool is_list(const view& v) {
    return (v.dimensions == 1 && v.packed()) ||
           refuse(v.name, "of shape " + in_words(v) + (v.packed() ? "" : " with gaps"),
                  "it is a list: one dimension, elements side by side");
}

/// Bytes of an element of each fade_dtype.
constexpr int element_bytes[] = {8, 4, 2, 2, 1, 4, 1, 1, 1, 1};

/// What holds a sum, a smallest or a largest of elements of a type.
int reduced_type(int type) { return type == FADE_F16 || type == FADE_BF16 ? int(FADE_F32) : type; }

}  // namespace

PyObject* sort(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view keys, values, sorted, sorted_values;
    if (!from.tensor("x", keys) || !from.tensor("values", values) || !from.tensor("out", sorted) ||
        !from.tensor("out_values", sorted_values))
        return nullptr;
    fade_sort_args a;
    (*self->by)->fade_sort_init(&a, sizeof a);
    a.descending = from.integer32();
    call_manner how;
    if (!how.take(from) || !on_device(*self, {&keys, &values}, {&sorted, &sorted_values}) || !is_list(keys))
        return nullptr;
    a.in = keys.type, a.count = keys.size(), a.keys = keys.data;
    a.sorted = list_as<void>(sorted, keys.type, a.count, "the keys");
    if (values.given()) {
        a.values = list_of(values, values.type, a.count, "the keys");
        a.sorted_values = list_as<void>(sorted_values, values.type, a.count, "the keys");
        a.value_bytes = element_bytes[values.type];
    }
    if (PyErr_Occurred()) return nullptr;
    return call(*self, values.given() ? (*self->by)->fade_sort_pairs : (*self->by)->fade_sort, a, how);
}

PyObject* scan(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view x, out;
    if (!from.tensor("x", x) || !from.tensor("out", out)) return nullptr;
    fade_scan_args a;
    (*self->by)->fade_scan_init(&a, sizeof a);
    const bool exclusive = from.integer() != 0;
    a.first = from.real(), a.any_order = from.integer32();
    call_manner how;
    if (!how.take(from) || !on_device(*self, {&x}, {&out}) || !is_list(x)) return nullptr;
    a.in = x.type, a.count = x.size(), a.x = x.data;
    a.out = list_as<void>(out, x.type, a.count, "the elements");
    if (PyErr_Occurred()) return nullptr;
    return call(*self, exclusive ? (*self->by)->fade_exclusive_scan : (*self->by)->fade_inclusive_scan, a,
                how);
}

PyObject* select(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view x, flags, out, selected;
    if (!from.tensor("x", x) || !from.tensor("flags", flags) || !from.tensor("out", out) ||
        !from.tensor("selected", selected))
        return nullptr;
    fade_select_args a;
    (*self->by)->fade_select_init(&a, sizeof a);
    call_manner how;
    if (!how.take(from) || !on_device(*self, {&x, &flags}, {&out, &selected}) || !is_list(x)) return nullptr;
    a.in = x.type, a.count = x.size(), a.x = x.data;
    a.flags = list_as<const std::uint8_t>(flags, FADE_I8, a.count, "the elements");
    if (!PyErr_Occurred()) a.out = list_as<void>(out, x.type, a.count, "the elements");
    if (!PyErr_Occurred()) a.selected = list_as<int>(selected, FADE_I32, 1, "the lists");
    if (PyErr_Occurred()) return nullptr;
    return call(*self, (*self->by)->fade_select, a, how);
}

PyObject* reduce_list(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view x, offsets, out;
    if (!from.tensor("x", x) || !from.tensor("offsets", offsets) || !from.tensor("out", out)) return nullptr;
    fade_reduce_list_args a;
    (*self->by)->fade_reduce_list_init(&a, sizeof a);
    a.op = from.integer32();
    call_manner how;
    if (!how.take(from) || !on_device(*self, {&x, &offsets}, {&out}) || !is_list(x)) return nullptr;
    a.in = x.type, a.count = x.size(), a.x = x.data;
    a.segments = offsets.given() ? offsets.size() - 1 : 0;
    if (a.segments < 0)
        return refuse(offsets.name, "of no element", "it holds where segments begin, and the end"), nullptr;
    a.offsets = list_as<const int>(offsets, FADE_I32, a.segments + 1, "segments and the end");
    a.out = list_as<void>(out, reduced_type(x.type), offsets.given() ? a.segments : 1, "results");
    if (PyErr_Occurred()) return nullptr;
    return call(*self, offsets.given() ? (*self->by)->fade_segmented_reduce : (*self->by)->fade_reduce, a,
                how);
}

PyObject* histogram(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view x, counts;
    if (!from.tensor("x", x) || !from.tensor("out", counts)) return nullptr;
    fade_histogram_args a;
    (*self->by)->fade_histogram_init(&a, sizeof a);
    a.lower = from.real(), a.upper = from.real();
    call_manner how;
    if (!how.take(from) || !on_device(*self, {&x}, {&counts}) || !is_list(x) || !is_list(counts))
        return nullptr;
    a.in = x.type, a.count = x.size(), a.x = x.data;
    a.bins = int(std::min<std::int64_t>(counts.size(), 1 << 30));
    a.counts = list_as<int>(counts, FADE_I32, a.bins, "bins");
    if (PyErr_Occurred()) return nullptr;
    return call(*self, (*self->by)->fade_histogram, a, how);
}

PyObject* list_top_k(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view x, values, places;
    if (!from.tensor("x", x) || !from.tensor("values", values) || !from.tensor("places", places))
        return nullptr;
    fade_list_top_k_args a;
    (*self->by)->fade_list_top_k_init(&a, sizeof a);
    a.k = from.integer();
    call_manner how;
    if (!how.take(from) || !on_device(*self, {&x}, {&values, &places}) || !is_list(x)) return nullptr;
    a.in = x.type, a.count = x.size(), a.x = x.data;
    a.values = list_as<void>(values, x.type, a.k, "the largest");
    a.places = list_as<int>(places, FADE_I32, a.k, "the largest");
    if (PyErr_Occurred()) return nullptr;
    return call(*self, (*self->by)->fade_list_top_k, a, how);
}

}  // namespace fade::python

// The stages of an epilogue, as the methods of gemm and convolution take them.
#pragma once
#include "device.hpp"

namespace fade::python {

/// Has a stage of that kind a tensor? It is one value a column or row of the result, or a matrix of its
/// shape.
constexpr bool takes_columns(int kind) {
    return kind == FADE_BIAS || kind == FADE_SCALE_COLUMNS || kind == FADE_BATCH_BIAS;
}
constexpr bool takes_rows(int kind) { return kind == FADE_BIAS_COL || kind == FADE_SCALE_ROWS; }
constexpr bool takes_matrix(int kind) {
    return (kind >= FADE_RESIDUAL && kind <= FADE_DSILU) || kind == FADE_AUX;
}
constexpr bool takes_memory(int kind) {
    return takes_columns(kind) || takes_rows(kind) || takes_matrix(kind) || kind == FADE_AMAX;
}
constexpr bool is_written(int kind) { return kind == FADE_AUX || kind == FADE_AMAX; }
constexpr bool is_gate(int kind) { return kind >= FADE_SWIGLU; }

/// How many columns of the product one of the result is made of: two where the list holds a gate. What else
/// is wrong with it read_stages() says.
inline int columns_per_output(PyObject* list) {
    for (Py_ssize_t i = 0; PyList_Check(list) && i < PyList_GET_SIZE(list); ++i) {
        PyObject* one = PyList_GET_ITEM(list, i);
        if (PyTuple_Check(one) && PyTuple_GET_SIZE(one) == 4 && PyLong_Check(PyTuple_GET_ITEM(one, 0)) &&
            is_gate(int(PyLong_AsLong(PyTuple_GET_ITEM(one, 0)))))
            return 2;
    }
    return 1;
}

/// Reads a list of (kind, values, low, high) into g.stages; memory(view, stage) says where values lie, or
/// sets an error and is false.
template <class Arguments, class Memory>
bool read_stages(device_object& d, PyObject* list, Arguments& g, fade_stage* stages, view* views,
                 Memory memory) {
    const Py_ssize_t count = list == Py_None ? 0 : PySequence_Size(list);
    if (count < 0) return false;
    if (count > 8) return refuse("epilogue", std::to_string(count) + " stages", "it has at most 8");
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* one = PyList_Check(list) ? PyList_GET_ITEM(list, i) : nullptr;
        if (!one || !PyTuple_Check(one) || PyTuple_GET_SIZE(one) != 4)
            return PyErr_SetString(PyExc_TypeError, "stages are a list of (kind, values, low, high)"), false;
        fade_stage& s = stages[i];
        (*d.by)->fade_stage_init(&s, sizeof s);
        s.kind = int(PyLong_AsLong(PyTuple_GET_ITEM(one, 0)));
        s.low = PyFloat_AsDouble(PyTuple_GET_ITEM(one, 2));
        s.high = PyFloat_AsDouble(PyTuple_GET_ITEM(one, 3));
        if (PyErr_Occurred() || !see(PyTuple_GET_ITEM(one, 1), "epilogue", views[i])) return false;
        const bool lies_there =
            is_written(s.kind) ? on_device(d, {}, {&views[i]}) : on_device(d, {&views[i]}, {});
        if (!lies_there || !memory(views[i], s)) return false;
    }
    g.stages = stages, g.stage_count = int(count);
    return true;
}

}  // namespace fade::python

// A tensor of any framework as a call sees it: where its memory is, of what type, and how it lies.
#pragma once
#include <Python.h>
#include <cstdint>
#include <string>

namespace fade::python {

enum class memory { cpu, cuda, rocm };

/// Tensors live as long as the call: the caller's references keep them.
struct view {
    static constexpr int max_dimensions = 8;
    const char* name = "";  ///< of the argument
    void* data = nullptr;
    int type = -1;  ///< a fade_dtype; -1: one that FADE has not
    memory where = memory::cpu;
    int device = 0, dimensions = 0;
    bool writable = true;
    std::int64_t shape[max_dimensions], strides[max_dimensions];  ///< of elements, of as many as it has
    PyObject* kept = nullptr;                                     ///< a capsule that owns what is seen

    view() = default;
    view(const view&) = delete;
    ~view() { Py_XDECREF(kept); }

    bool given() const { return data != nullptr || dimensions > 0; }
    std::int64_t size() const;
    bool packed() const;  ///< rows after rows, as C has arrays
};

/// Fills a view of an object, or sets a Python error. None gives a view of nothing.
bool see(PyObject* object, const char* name, view& out);

/// Where a tensor lies, and the stream that its framework queues on there, by DLPack's functions: no object
/// of Python is made. False where its type has no such functions, without an error.
bool place_of(PyObject* tensor, memory& where, int& device, void*& stream);

/// Knows a framework's name for a type (numpy.dtype('bfloat16')) from now on.
void know_type(PyObject* dtype, int type);

/// Sets fade.Error with argument, value and rule. Always false.
bool refuse(const std::string& argument, const std::string& value, const std::string& rule);
void set_error_class(PyObject* error);

}  // namespace fade::python

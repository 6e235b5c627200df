#include "view.hpp"
#include "dlpack.hpp"
#include <algorithm>
#include <fade.h>
#include <unordered_map>
#include <utility>

namespace fade::python {
namespace {

PyObject* error_class = nullptr;
PyObject* known_types = nullptr;  // {dtype: fade_dtype}

/// What numpy's __array_struct__ points to, by its documentation.
struct array_interface {
    int two, nd;
    char kind;
    int itemsize, flags;
    Py_ssize_t *shape, *strides;  // of bytes
    void* data;
    PyObject* description;
};
constexpr int aligned = 0x100, native_order = 0x200, writeable = 0x400;

PyObject* interned(const char* word) { return PyUnicode_InternFromString(word); }

int type_of(char kind, int bytes) {
    if (kind == 'f') return bytes == 4 ? FADE_F32 : bytes == 2 ? FADE_F16 : bytes == 8 ? FADE_F64 : -1;
    if (kind == 'i') return bytes == 4 ? FADE_I32 : bytes == 1 ? FADE_I8 : -1;
    return -1;
}

int type_of(const dlpack::data_type& t) {
    if (t.lanes != 1) return -1;
    switch (t.code) {
    case dlpack::real:
        return type_of('f', t.bits / 8);
    case dlpack::integer:
        return type_of('i', t.bits / 8);
    case dlpack::brain_float:
        return t.bits == 16 ? FADE_BF16 : -1;
    case dlpack::f8_e4m3fn:
        return FADE_F8E4M3;
    case dlpack::f8_e4m3fnuz:
        return FADE_F8E4M3FNUZ;
    case dlpack::f8_e5m2:
        return FADE_F8E5M2;
    case dlpack::f8_e5m2fnuz:
        return FADE_F8E5M2FNUZ;
    }
    return -1;
}

bool too_many(const char* name, int dimensions) {
    return refuse(name, "of " + std::to_string(dimensions) + " dimensions",
                  "FADE's functions take tensors of at most " + std::to_string(view::max_dimensions));
}

bool from_tensor(const dlpack::tensor& t, view& out) {
    if (t.ndim > view::max_dimensions || t.ndim < 0) return too_many(out.name, t.ndim);
    switch (t.where.type) {
    case dlpack::cpu:
    case dlpack::cuda_host:
    case dlpack::rocm_host:
        out.where = memory::cpu;
        break;
    case dlpack::cuda:
    case dlpack::cuda_managed:
        out.where = memory::cuda;
        break;
    case dlpack::rocm:
        out.where = memory::rocm;
        break;
    default:
        return refuse(out.name, "in memory of DLPack's kind " + std::to_string(t.where.type),
                      "FADE reads memory of CPUs, CUDA and ROCm devices");
    }
    out.device = out.where == memory::cpu ? 0 : t.where.id;
    out.type = type_of(t.type), out.dimensions = t.ndim;
    std::int64_t packed = 1;
    for (int i = t.ndim - 1; i >= 0; --i) {
        out.shape[i] = t.shape[i];
        out.strides[i] = t.strides ? t.strides[i] : packed;
        packed *= t.shape[i];
    }
    out.data = static_cast<char*>(t.data) + t.byte_offset;
    return true;
}

/// The exchange functions of a type, looked up once.
const dlpack::exchange* exchange_of(PyTypeObject* type) {
    static std::unordered_map<PyTypeObject*, const dlpack::exchange*> known;
    static std::pair<PyTypeObject*, const dlpack::exchange*> last{};  // calls have tensors of one type
    if (last.first == type) return last.second;
    const auto at = known.find(type);
    if (at != known.end()) return last = *at, at->second;
    static PyObject* const word = interned("__dlpack_c_exchange_api__");
    const dlpack::exchange* found = nullptr;
    if (PyObject* capsule = PyObject_GetAttr(reinterpret_cast<PyObject*>(type), word)) {
        if (PyCapsule_IsValid(capsule, "dlpack_exchange_api"))
            found =
                static_cast<const dlpack::exchange*>(PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
        Py_DECREF(capsule);
    }
    PyErr_Clear();
    if (found && (found->version.major != 1 || !found->tensor_from)) found = nullptr;
    Py_INCREF(type);  // an address is a key as long as its type lives
    return known[type] = found;
}

bool from_array(const array_interface& a, PyObject* object, view& out) {
    if (a.nd > view::max_dimensions) return too_many(out.name, a.nd);
    if (!(a.flags & native_order) || !(a.flags & aligned))
        return refuse(out.name, "unaligned or of foreign byte order",
                      "FADE reads aligned elements in this machine's order");
    out.type = type_of(a.kind, a.itemsize);
    if (out.type < 0) {
        static PyObject* const word = interned("dtype");
        PyObject* dtype = PyObject_GetAttr(object, word);
        if (!dtype) return false;
        PyObject* known = known_types ? PyDict_GetItemWithError(known_types, dtype) : nullptr;
        if (known) out.type = int(PyLong_AsLong(known));
        Py_DECREF(dtype);
        if (PyErr_Occurred()) return false;
    }
    out.dimensions = a.nd, out.data = a.data, out.writable = a.flags & writeable;
    for (int i = 0; i < a.nd; ++i) {
        out.shape[i] = a.shape[i];
        if (a.strides[i] % a.itemsize)
            return refuse(out.name, "of strides that are no whole elements",
                          "FADE counts strides in elements");
        out.strides[i] = a.strides[i] / a.itemsize;
    }
    return true;
}

/// Capsules that __dlpack__ gives. Their memory lives as long as they do, since nobody consumes them.
bool from_capsule(PyObject* capsule, view& out) {
    out.kept = capsule;
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        const auto* m =
            static_cast<dlpack::managed_versioned*>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
        out.writable = !(m->flags & dlpack::read_only);
        return m->version.major == 1 ? from_tensor(m->of, out)
                                     : refuse(out.name, "of another DLPack", "FADE reads versions 0 and 1");
    }
    if (!PyCapsule_IsValid(capsule, "dltensor"))
        return refuse(out.name, "of an unknown DLPack", "__dlpack__ gives a capsule named dltensor");
    return from_tensor(static_cast<dlpack::managed*>(PyCapsule_GetPointer(capsule, "dltensor"))->of, out);
}

/// "<f4" and its kin, of __cuda_array_interface__.
int type_of_words(const char* words) {
    if ((words[0] != '<' && words[0] != '|') || !words[1] || !words[2]) return -1;
    return type_of(words[1], std::atoi(words + 2));
}

bool from_cuda_interface(PyObject* said, PyObject* object, view& out) {
    PyObject *shape = PyDict_GetItemString(said, "shape"), *type = PyDict_GetItemString(said, "typestr"),
             *data = PyDict_GetItemString(said, "data"), *strides = PyDict_GetItemString(said, "strides");
    if (!shape || !PyTuple_Check(shape) || !type || !PyUnicode_Check(type) || !data || !PyTuple_Check(data) ||
        PyTuple_GET_SIZE(data) != 2)
        return refuse(out.name, "of a broken __cuda_array_interface__", "it has shape, typestr and data");
    const int n = int(PyTuple_GET_SIZE(shape));
    if (n > view::max_dimensions) return too_many(out.name, n);
    const char* words = PyUnicode_AsUTF8(type);
    if (!words) return false;
    out.type = type_of_words(words), out.dimensions = n, out.where = memory::cuda;
    const int bytes = std::atoi(words + 2);
    out.data = PyLong_AsVoidPtr(PyTuple_GET_ITEM(data, 0));
    out.writable = PyObject_IsTrue(PyTuple_GET_ITEM(data, 1)) == 0;
    const bool said_strides = strides && PyTuple_Check(strides) && PyTuple_GET_SIZE(strides) == n;
    std::int64_t packed = 1;
    for (int i = n - 1; i >= 0; --i) {
        out.shape[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(shape, i));
        out.strides[i] =
            said_strides ? PyLong_AsLongLong(PyTuple_GET_ITEM(strides, i)) / (bytes ? bytes : 1) : packed;
        packed *= out.shape[i];
    }
    if (PyObject* device = PyObject_GetAttrString(object, "device")) {
        if (PyObject* id = PyObject_GetAttrString(device, "id")) {
            if (PyLong_Check(id)) out.device = int(PyLong_AsLong(id));
            Py_DECREF(id);
        }
        Py_DECREF(device);
        PyErr_Clear();
    } else {
        PyErr_Clear();
    }
    return !PyErr_Occurred();
}

/// The value of an attribute, null where there is none.
PyObject* attribute(PyObject* object, PyObject* word) {
    PyObject* out = PyObject_GetAttr(object, word);
    if (!out && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
    return out;
}

/// What the library would take for "packed" or cannot step along. Of a tensor without elements strides mean
/// nothing.
bool check_strides(view& v) {
    if (v.size() == 0)
        for (std::int64_t i = v.dimensions - 1, step = 1; i >= 0; --i)
            v.strides[i] = step, step *= v.shape[i] ? v.shape[i] : 1;
    for (int i = 0; i < v.dimensions; ++i)
        if (v.strides[i] < 0 && v.shape[i] > 1)
            return refuse(v.name, "of a negative stride",
                          "FADE steps forward: copy the tensor, as by numpy.ascontiguousarray");
    return true;
}

bool check_type(view& v) {
    return v.type >= 0
               ? check_strides(v)
               : refuse(v.name, "of a type that FADE has not",
                        "it has float64, float32, float16, bfloat16, int8, int32 and the 8-bit floats "
                        "e4m3fn, e5m2, e4m3fnuz, e5m2fnuz");
}

/// What stood in the way of reading a tensor, as a refusal of FADE's; other errors stay as they are.
bool refuse_unreadable(const char* name, PyObject* object) {
    if (!PyErr_ExceptionMatches(PyExc_RuntimeError) && !PyErr_ExceptionMatches(PyExc_BufferError) &&
        !PyErr_ExceptionMatches(PyExc_ValueError))
        return false;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject* said = value ? PyObject_Str(value) : nullptr;
    const char* words = said ? PyUnicode_AsUTF8(said) : nullptr;
    std::string why = words ? words : "";
    why.resize(std::min(why.find('\n'), why.size()));  // what follows in PyTorch's is a stack of C++
    for (PyObject* one : {type, value, trace, said}) Py_XDECREF(one);
    PyErr_Clear();
    return refuse(
        name, std::string("a ") + Py_TYPE(object)->tp_name + " that does not give its memory (" + why + ")",
        "FADE reads dense tensors of CPUs, CUDA and ROCm devices; transforms and fake tensors are "
        "for the operators of fade.torch");
}

/// What __dlpack__ gives. PyTorch gives no tensor that needs a gradient, but the same memory without that:
/// who calls knows of gradients already.
PyObject* capsule_of(PyObject* object) {
    static PyObject *const of_dlpack = interned("__dlpack__"), *const detach = interned("detach"),
                           *const requires_grad = interned("requires_grad");
    PyObject* wanted = attribute(object, requires_grad);
    const bool is_wanted = wanted && PyObject_IsTrue(wanted) == 1;
    Py_XDECREF(wanted);
    if (PyErr_Occurred()) return nullptr;
    if (!is_wanted) return PyObject_CallMethodNoArgs(object, of_dlpack);
    PyObject* same = PyObject_CallMethodNoArgs(object, detach);
    PyObject* out = same ? PyObject_CallMethodNoArgs(same, of_dlpack) : nullptr;
    Py_XDECREF(same);  // the capsule keeps the memory
    return out;
}

/// A view that PyTorch negates when it reads it: the imaginary part of conjugated numbers, so its strides are
/// even.
bool may_be_negated(const view& v) {
    for (int i = 0; i < v.dimensions; ++i)
        if (v.shape[i] > 1 && v.strides[i] % 2) return false;
    return v.size() > 0;
}

/// What DLPack does not say: is there memory, and are its numbers those of the tensor?
bool check_memory(PyObject* object, const view& v) {
    if (!v.data && v.size() > 0)
        return refuse(v.name, std::string("a ") + Py_TYPE(object)->tp_name + " without memory",
                      "fake tensors are for the operators of fade.torch");
    if (!may_be_negated(v)) return true;
    static PyObject* const is_neg = interned("is_neg");
    PyObject* said = PyObject_CallMethodNoArgs(object, is_neg);
    const bool negated = said && PyObject_IsTrue(said) == 1;
    Py_XDECREF(said);
    PyErr_Clear();  // tensors of others have no such method
    return !negated ||
           refuse(v.name, "a negated view", "FADE reads memory as it lies: take its resolve_neg()");
}

}  // namespace

bool refuse(const std::string& argument, const std::string& value, const std::string& rule) {
    PyObject* made = PyObject_CallFunction(error_class, "sss", argument.c_str(), value.c_str(), rule.c_str());
    if (made) PyErr_SetObject(error_class, made), Py_DECREF(made);
    return false;
}
void set_error_class(PyObject* error) {
    Py_INCREF(error);
    Py_XSETREF(error_class, error);
}

bool place_of(PyObject* tensor, memory& where, int& device, void*& stream) {
    const dlpack::exchange* by = exchange_of(Py_TYPE(tensor));
    dlpack::tensor t{};
    if (!by || !by->current_stream || by->tensor_from(tensor, &t) != 0) return PyErr_Clear(), false;
    if (t.where.type == dlpack::cpu) return where = memory::cpu, true;
    if (t.where.type != dlpack::cuda && t.where.type != dlpack::rocm) return false;
    where = t.where.type == dlpack::cuda ? memory::cuda : memory::rocm, device = t.where.id;
    return by->current_stream(t.where.type, t.where.id, &stream) == 0 || (PyErr_Clear(), false);
}

void know_type(PyObject* dtype, int type) {
    if (!known_types) known_types = PyDict_New();
    PyObject* number = PyLong_FromLong(type);
    PyDict_SetItem(known_types, dtype, number);
    Py_XDECREF(number);
}

std::int64_t view::size() const {
    std::int64_t out = 1;
    for (int i = 0; i < dimensions; ++i) out *= shape[i];
    return out;
}

bool view::packed() const {
    if (size() == 0) return true;
    std::int64_t wanted = 1;
    for (int i = dimensions - 1; i >= 0; --i) {
        if (shape[i] != 1 && strides[i] != wanted) return false;
        wanted *= shape[i];
    }
    return true;
}

bool see(PyObject* object, const char* name, view& out) {
    out.name = name;
    if (object == Py_None) return true;
    if (const dlpack::exchange* by = exchange_of(Py_TYPE(object))) {
        dlpack::tensor t{};
        if (by->tensor_from(object, &t) != 0) return refuse_unreadable(name, object);
        return from_tensor(t, out) && check_type(out) && check_memory(object, out);
    }
    static PyObject *const of_array = interned("__array_struct__"), *const of_cuda =
                                                                        interned("__cuda_array_interface__");
    if (PyObject* capsule = attribute(object, of_array)) {
        const auto* a = static_cast<array_interface*>(PyCapsule_GetPointer(capsule, nullptr));
        const bool seen = a && a->two == 2 && from_array(*a, object, out);
        out.kept = capsule;  // shape and strides lie in it, and were copied; the memory is the array's
        return seen ? check_type(out)
                    : (PyErr_Occurred() ? false : refuse(name, "broken", "__array_struct__ is no array"));
    }
    if (PyErr_Occurred()) return false;
    if (PyObject* said = attribute(object, of_cuda)) {
        const bool seen = PyDict_Check(said) && from_cuda_interface(said, object, out);
        Py_DECREF(said);
        return seen ? check_type(out)
                    : (PyErr_Occurred() ? false
                                        : refuse(name, "broken", "__cuda_array_interface__ is a dict"));
    }
    if (PyErr_Occurred()) return false;
    if (PyObject* capsule = capsule_of(object))
        return from_capsule(capsule, out) && check_type(out) && check_memory(object, out);
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return refuse_unreadable(name, object);
    PyErr_Clear();
    return refuse(
        name, std::string("a ") + Py_TYPE(object)->tp_name,
        "it must be a tensor: an array of NumPy, or anything with __dlpack__ or __cuda_array_interface__");
}

}  // namespace fade::python

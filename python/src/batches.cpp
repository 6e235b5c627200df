// Products by tables of pointers: device.batched_gemm, and what sees the matrices of a table.
#include "matrix.hpp"
#include <algorithm>
#include <vector>

namespace fade::python {
namespace {

/// Lie the elements of both alike? Steps along dimensions of one element do not matter.
bool alike(const view& v, const view& first) {
    if (v.type != first.type) return refuse(v.name, "of another type than the first", "all have one type");
    if (v.where != first.where || v.device != first.device)
        return refuse(v.name, "on another device than the first", "all lie on one device");
    if (v.dimensions != first.dimensions || !std::equal(v.shape, v.shape + v.dimensions, first.shape))
        return refuse(v.name, "of shape " + in_words(v), "the first has shape " + in_words(first));
    for (int i = 0; i < v.dimensions; ++i)
        if (v.shape[i] > 1 && v.strides[i] != first.strides[i])
            return refuse(v.name, "of other strides than the first", "all matrices of a table lie alike");
    return true;
}

bool is_matrix(const view& v, bool may_be_transposed, matrix& out) {
    if (v.dimensions != 2) return refuse(v.name, "of shape " + in_words(v), "each is a matrix");
    return matrix_of(v, may_be_transposed, out);
}

/// What the first matrices of the tables say of all.
bool batch_of(fade_batched_gemm_args& g, const view& a, const view& b, const view& c, const view& d,
              int joined) {
    matrix ma, mb, mc, md;
    if (!is_matrix(a, true, ma) || !is_matrix(b, true, mb) || !is_matrix(d, false, md)) return false;
    if (b.type != a.type) return refuse(b.name, "of another type than a", "a and b have one type");
    if (mb.rows != ma.columns)
        return refuse(b.name, "of shape " + in_words(b), "a has " + std::to_string(ma.columns) + " columns");
    g.in = a.type, g.out = d.type, g.layout = 2 * ma.transposed + mb.transposed;
    g.m = ma.rows, g.n = mb.columns, g.k = ma.columns, g.lda = ma.ld, g.ldb = mb.ld, g.ldd = md.ld;
    if (!has_shape(d, md, g.m, g.n / joined, "each is")) return false;
    if (!c.given()) return true;
    if (!is_matrix(c, false, mc) || !has_shape(c, mc, md.rows, md.columns, "each is")) return false;
    if (c.type != d.type) return refuse(c.name, "of another type than out", "it has the type of out");
    return g.ldc = mc.ld, true;
}

/// A table of `count` pointers, which lies in words of 32 bits: FADE has no tensors of 64.
template <class Pointer>
bool table_of(const view& v, std::int64_t count, Pointer const*& to) {
    to = list_as<Pointer>(v, FADE_I32, 2 * count, "the halves of the pointers");
    return !PyErr_Occurred();
}

}  // namespace

// device.batched_gemm(a, b, c, d, the tables of a, b, c and d, batch, alignment, stages, alpha, beta,
// check_pointers, stream, strict, reports): of each table the first matrix
PyObject* batched_gemm(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view a, b, c, d, tables[4], views[8];
    if (!from.tensor("a", a) || !from.tensor("b", b) || !from.tensor("c", c) || !from.tensor("out", d))
        return nullptr;
    for (view& v : tables)
        if (!from.tensor("table", v)) return nullptr;
    fade_batched_gemm_args g;
    (*self->by)->fade_batched_gemm_init(&g, sizeof g);
    g.batch = from.integer(), g.alignment = from.integer32();
    PyObject* list = from.object();
    g.alpha = from.real(), g.beta = from.real(), g.check_pointers = from.integer32();
    call_manner how;
    if (!how.take(from) ||
        !on_device(*self, {&a, &b, &c, &tables[0], &tables[1], &tables[2], &tables[3]}, {&d}) ||
        !batch_of(g, a, b, c, d, columns_per_output(list)) || !table_of(tables[0], g.batch, g.a) ||
        !table_of(tables[1], g.batch, g.b) || !table_of(tables[2], g.batch, g.c) ||
        !table_of(tables[3], g.batch, g.d))
        return nullptr;
    fade_stage stages[8];
    const product_shape shape{g.out, g.m, g.n, g.batch, 1};
    if (!read_product_stages(*self, list, g, shape, stages, views)) return nullptr;
    return call(*self, (*self->by)->fade_batched_gemm, g, how);
}

// pointers(tuple of tensors, name): (their addresses as bytes, the power of two up to 16 that all are
// multiples of, the number of the first that is read-only or -1)
PyObject* pointers(PyObject*, PyObject* arguments) {
    PyObject* tensors;
    const char* name;
    if (!PyArg_ParseTuple(arguments, "O!s", &PyTuple_Type, &tensors, &name)) return nullptr;
    std::vector<void*> all;
    std::uintptr_t bits = 16;
    Py_ssize_t read_only = -1;
    const std::string first_name = std::string(name) + "[0]";
    view first;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tensors); ++i) {
        PyObject* one = PyTuple_GET_ITEM(tensors, i);
        const std::string own_name = std::string(name) + "[" + std::to_string(i) + "]";
        view later;
        view& v = i == 0 ? first : later;
        if (!see(one, i == 0 ? first_name.c_str() : own_name.c_str(), v) || !alike(v, first)) return nullptr;
        if (!v.writable && read_only < 0) read_only = i;
        all.push_back(v.data), bits |= reinterpret_cast<std::uintptr_t>(v.data);
    }
    PyObject* bytes = PyBytes_FromStringAndSize(reinterpret_cast<const char*>(all.data()),
                                                Py_ssize_t(all.size() * sizeof(void*)));
    return bytes ? Py_BuildValue("(Nin)", bytes, int(bits & (~bits + 1)), read_only) : nullptr;
}

}  // namespace fade::python

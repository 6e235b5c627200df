// The methods of row operators: norms, softmax, cross entropy, reductions, top_k.
#include "device.hpp"

namespace fade::python {
namespace {

/// Rows of the last dimension.
struct rows_tensor {
    std::int64_t rows, columns, stride;
};

/// All dimensions before the last as one.
bool rows_of(const view& v, rows_tensor& out) {
    const int n = v.dimensions;
    if (n < 1) return refuse(v.name, "of shape " + in_words(v), "it has at least one dimension");
    out.columns = v.shape[n - 1], out.rows = 1, out.stride = out.columns;
    bool even = v.strides[n - 1] == 1 || out.columns <= 1;
    for (int i = n - 2; i >= 0; --i) {
        if (v.shape[i] == 1) continue;
        if (out.rows == 1)
            out.stride = v.strides[i];
        else
            even = even && v.strides[i] == out.stride * out.rows;
        out.rows *= v.shape[i];
    }
    return even || refuse(v.name, "of shape " + in_words(v) + " with other strides",
                          "elements of a row must lie side by side, and rows in even steps");
}

bool like(const view& v, const rows_tensor& as, const view& x, std::int64_t& stride) {
    rows_tensor own{};
    if (!v.given()) return true;
    if (!rows_of(v, own)) return false;
    stride = own.stride;
    return (own.rows == as.rows && own.columns == as.columns) ||
           refuse(v.name, "of shape " + in_words(v), std::string(x.name) + " is " + in_words(x));
}
bool of_type(const view& v, int type, const char* as) {
    return !v.given() ||
           (v.type == type || refuse(v.name, "of another type", std::string("it has the type of ") + as));
}

}  // namespace

PyObject* norm(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view x, residual, sum, weight, bias, y, scales, mean, root;
    const bool seen = from.tensor("x", x) && from.tensor("residual", residual) && from.tensor("sum", sum) &&
                      from.tensor("weight", weight) && from.tensor("bias", bias) && from.tensor("out", y) &&
                      from.tensor("scales", scales) && from.tensor("mean", mean) &&
                      from.tensor("inverse_root", root);
    if (!seen) return nullptr;
    fade_norm_args a;
    (*self->by)->fade_norm_init(&a, sizeof a);
    a.epsilon = from.real(), a.weight_offset = from.real();
    const bool layer = from.integer() != 0;
    call_manner how;
    rows_tensor r;
    if (!how.take_all(from) ||
        !on_device(*self, {&x, &residual, &weight, &bias}, {&y, &sum, &scales, &mean, &root}) ||
        !rows_of(x, r) || !like(residual, r, x, a.residual_stride) || !like(sum, r, x, a.sum_stride) ||
        !like(y, r, x, a.y_stride) || !of_type(residual, x.type, "x") || !of_type(sum, x.type, "x") ||
        (weight.given() && !of_type(bias, weight.type, "weight")))
        return nullptr;
    a.in = x.type, a.out = y.type, a.rows = r.rows, a.columns = r.columns, a.x_stride = r.stride;
    a.weights = weight.given() ? weight.type : bias.given() ? bias.type : x.type;
    a.x = x.data, a.residual = residual.data, a.sum = sum.data, a.y = y.data;
    a.weight = list_of(weight, a.weights, r.columns, "columns"),
    a.bias = list_of(bias, a.weights, r.columns, "columns");
    a.scales = list_as<float>(scales, FADE_F32, r.rows, "rows"),
    a.mean = list_as<float>(mean, FADE_F32, r.rows, "rows");
    a.inverse_root = list_as<float>(root, FADE_F32, r.rows, "rows");
    if (PyErr_Occurred()) return nullptr;
    const library& by = **self->by;
    const tuned_calls<fade_norm_args> of_layer{by.fade_layer_norm, by.fade_find_layer_norm,
                                               by.fade_verify_layer_norm, nullptr},
        of_rms{by.fade_rms_norm, by.fade_find_rms_norm, by.fade_verify_rms_norm, nullptr};
    return call_or_find(*self, layer ? of_layer : of_rms, a, how);
}

PyObject* norm_gradient(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view h, dy, dsum, weight, mean, root, dx, dweight, dbias;
    const bool seen = from.tensor("h", h) && from.tensor("dy", dy) && from.tensor("dsum", dsum) &&
                      from.tensor("weight", weight) && from.tensor("mean", mean) &&
                      from.tensor("inverse_root", root) && from.tensor("dx", dx) &&
                      from.tensor("dweight", dweight) && from.tensor("dbias", dbias);
    if (!seen) return nullptr;
    fade_norm_gradient_args a;
    (*self->by)->fade_norm_gradient_init(&a, sizeof a);
    a.weight_offset = from.real();
    const bool layer = from.integer() != 0;
    call_manner how;
    rows_tensor r;
    if (!how.take(from) ||
        !on_device(*self, {&h, &dy, &dsum, &weight, &mean, &root}, {&dx, &dweight, &dbias}) ||
        !rows_of(h, r) || !like(dy, r, h, a.dy_stride) || !like(dsum, r, h, a.dsum_stride) ||
        !like(dx, r, h, a.dx_stride) || !of_type(dsum, dy.type, "dy") || !of_type(dx, dy.type, "dy"))
        return nullptr;
    a.in = h.type, a.gradient = dy.type, a.rows = r.rows, a.columns = r.columns, a.h_stride = r.stride;
    a.weights = weight.given()    ? weight.type
                : dweight.given() ? dweight.type
                : dbias.given()   ? dbias.type
                                  : h.type;
    a.h = h.data, a.dy = dy.data, a.dsum = dsum.data, a.dx = dx.data;
    a.weight = list_of(weight, a.weights, r.columns, "columns");
    a.dweight = list_as<void>(dweight, a.weights, r.columns, "columns");
    a.dbias = list_as<void>(dbias, a.weights, r.columns, "columns");
    a.mean = list_as<const float>(mean, FADE_F32, r.rows, "rows");
    a.inverse_root = list_as<const float>(root, FADE_F32, r.rows, "rows");
    if (PyErr_Occurred()) return nullptr;
    return call(*self, layer ? (*self->by)->fade_layer_norm_gradient : (*self->by)->fade_rms_norm_gradient, a,
                how);
}

PyObject* softmax(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view x, y;
    if (!from.tensor("x", x) || !from.tensor("out", y)) return nullptr;
    const bool log = from.integer() != 0;
    fade_softmax_args a;
    (*self->by)->fade_softmax_init(&a, sizeof a);
    call_manner how;
    rows_tensor r;
    if (!how.take_all(from) || !on_device(*self, {&x}, {&y}) || !rows_of(x, r) || !like(y, r, x, a.y_stride))
        return nullptr;
    a.in = x.type, a.out = y.type, a.rows = r.rows, a.columns = r.columns, a.x_stride = r.stride;
    a.x = x.data, a.y = y.data;
    const library& by = **self->by;
    const tuned_calls<fade_softmax_args> of_log{by.fade_log_softmax, by.fade_find_log_softmax,
                                                by.fade_verify_log_softmax, nullptr},
        of_softmax{by.fade_softmax, by.fade_find_softmax, by.fade_verify_softmax, nullptr};
    return call_or_find(*self, log ? of_log : of_softmax, a, how);
}

PyObject* softmax_gradient(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view y, dy, dx;
    if (!from.tensor("y", y) || !from.tensor("dy", dy) || !from.tensor("dx", dx)) return nullptr;
    const bool log = from.integer() != 0;
    fade_softmax_gradient_args a;
    (*self->by)->fade_softmax_gradient_init(&a, sizeof a);
    call_manner how;
    rows_tensor r;
    if (!how.take(from) || !on_device(*self, {&y, &dy}, {&dx}) || !rows_of(y, r) ||
        !like(dy, r, y, a.dy_stride) || !like(dx, r, y, a.dx_stride) || !of_type(dy, y.type, "y"))
        return nullptr;
    a.in = y.type, a.out = dx.type, a.rows = r.rows, a.columns = r.columns, a.y_stride = r.stride;
    a.y = y.data, a.dy = dy.data, a.dx = dx.data;
    return call(*self, log ? (*self->by)->fade_log_softmax_gradient : (*self->by)->fade_softmax_gradient, a,
                how);
}

PyObject* cross_entropy(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view x, labels, loss, log_sum;
    if (!from.tensor("x", x) || !from.tensor("labels", labels) || !from.tensor("loss", loss) ||
        !from.tensor("log_sum", log_sum))
        return nullptr;
    fade_cross_entropy_args a;
    (*self->by)->fade_cross_entropy_init(&a, sizeof a);
    a.smoothing = from.real(), a.ignored_label = from.integer32();
    call_manner how;
    rows_tensor r;
    if (!how.take(from) || !on_device(*self, {&x, &labels}, {&loss, &log_sum}) || !rows_of(x, r))
        return nullptr;
    a.in = x.type, a.rows = r.rows, a.columns = r.columns, a.x_stride = r.stride, a.x = x.data;
    a.labels = list_as<const int>(labels, FADE_I32, r.rows, "rows");
    a.loss = list_as<float>(loss, FADE_F32, r.rows, "rows");
    a.log_sum = list_as<float>(log_sum, FADE_F32, r.rows, "rows");
    if (PyErr_Occurred()) return nullptr;
    return call(*self, (*self->by)->fade_cross_entropy, a, how);
}

PyObject* cross_entropy_gradient(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view x, labels, log_sum, dloss, dx;
    if (!from.tensor("x", x) || !from.tensor("labels", labels) || !from.tensor("log_sum", log_sum) ||
        !from.tensor("dloss", dloss) || !from.tensor("dx", dx))
        return nullptr;
    fade_cross_entropy_gradient_args a;
    (*self->by)->fade_cross_entropy_gradient_init(&a, sizeof a);
    a.smoothing = from.real(), a.ignored_label = from.integer32();
    call_manner how;
    rows_tensor r;
    if (!how.take(from) || !on_device(*self, {&x, &labels, &log_sum, &dloss}, {&dx}) || !rows_of(x, r) ||
        !like(dx, r, x, a.dx_stride))
        return nullptr;
    a.in = x.type, a.gradient = dx.type, a.rows = r.rows, a.columns = r.columns, a.x_stride = r.stride;
    a.x = x.data, a.dx = dx.data;
    a.labels = list_as<const int>(labels, FADE_I32, r.rows, "rows");
    a.log_sum = list_as<const float>(log_sum, FADE_F32, r.rows, "rows");
    a.dloss = list_as<const float>(dloss, FADE_F32, r.rows, "rows");
    if (PyErr_Occurred()) return nullptr;
    return call(*self, (*self->by)->fade_cross_entropy_gradient, a, how);
}

/// reduce(kind, x, values, places, of_columns, ...): kind 0 sum, 1 mean, 2 max, 3 argmax.
PyObject* reduce(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    const std::int64_t kind = from.integer();
    view x, values, places;
    if (!from.tensor("x", x) || !from.tensor("out", values) || !from.tensor("places", places)) return nullptr;
    fade_reduce_args a;
    (*self->by)->fade_reduce_init(&a, sizeof a);
    a.of_columns = from.integer32();
    call_manner how;
    rows_tensor r;
    if (!how.take(from) || !on_device(*self, {&x}, {&values, &places}) || !rows_of(x, r)) return nullptr;
    const std::int64_t results = a.of_columns ? r.columns : r.rows;
    const char* of = a.of_columns ? "columns" : "rows";
    a.in = x.type, a.out = values.given() ? values.type : x.type, a.rows = r.rows, a.columns = r.columns;
    a.x_stride = r.stride, a.x = x.data, a.values = list_as<void>(values, a.out, results, of);
    a.places = list_as<int>(places, FADE_I32, results, of);
    if (PyErr_Occurred()) return nullptr;
    const library& by = **self->by;
    return call(*self,
                kind == 0   ? by.fade_sum
                : kind == 1 ? by.fade_mean
                : kind == 2 ? by.fade_max
                            : by.fade_argmax,
                a, how);
}

/// top_k(x, values, places, k, of_columns, ...).
PyObject* top_k(device_object* self, PyObject* const* at, Py_ssize_t count) {
    taken from(at, count);
    view x, values, places;
    if (!from.tensor("x", x) || !from.tensor("values", values) || !from.tensor("places", places))
        return nullptr;
    fade_top_k_args a;
    (*self->by)->fade_top_k_init(&a, sizeof a);
    a.k = from.integer32();
    a.of_columns = from.integer32();
    call_manner how;
    rows_tensor r;
    if (!how.take(from) || !on_device(*self, {&x}, {&values, &places}) || !rows_of(x, r)) return nullptr;
    a.in = x.type, a.out = values.given() ? values.type : x.type, a.rows = r.rows, a.columns = r.columns;
    const std::int64_t results = (a.of_columns ? r.columns : r.rows) * a.k;
    const char* of = a.of_columns ? "ranks and columns" : "rows and ranks";
    a.x_stride = r.stride, a.x = x.data;
    a.values = list_as<void>(values, a.out, results, of);
    a.places = list_as<int>(places, FADE_I32, results, of);
    if (PyErr_Occurred()) return nullptr;
    return call(*self, (*self->by)->fade_top_k, a, how);
}

}  // namespace fade::python

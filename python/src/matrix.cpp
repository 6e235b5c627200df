#include "matrix.hpp"

namespace fade::python {
namespace {

/// Leading dimensions as one: their number and stride; false where they lie in no even steps.
bool joined(const view& v, int count, std::int64_t& size, std::int64_t& stride) {
    size = 1, stride = 0;
    for (int i = count - 1; i >= 0; --i) {
        if (v.shape[i] == 1) continue;
        if (size == 1)
            stride = v.strides[i];
        else if (v.strides[i] != stride * size)
            return false;
        size *= v.shape[i];
    }
    return true;
}

/// What a stage reads one value for each of.
std::int64_t list_length(const product_shape& d, int kind) {
    return kind == FADE_BATCH_BIAS ? d.columns * d.batch * d.groups
           : takes_columns(kind)   ? d.columns
                                   : d.rows;
}
const char* list_words(const product_shape& d, int kind) {
    if (kind == FADE_BATCH_BIAS) return d.groups > 1 ? "the columns of each group" : "the columns of each d";
    return takes_columns(kind) ? "the columns of d" : "the rows of d";
}

}  // namespace

bool matrix_of(const view& v, bool may_be_transposed, matrix& out) {
    const int n = v.dimensions;
    if (n < 2) return refuse(v.name, "of shape " + in_words(v), "it is a matrix, or a batch of matrices");
    out.rows = v.shape[n - 2], out.columns = v.shape[n - 1];
    const std::int64_t down = v.strides[n - 2], across = v.strides[n - 1];
    const bool by_rows = across == 1 || out.columns == 1, by_columns = down == 1 || out.rows == 1;
    out.transposed = !by_rows && by_columns && may_be_transposed;
    if (!by_rows && !out.transposed)
        return refuse(v.name, "of strides " + std::to_string(down) + ", " + std::to_string(across),
                      may_be_transposed ? "elements of its rows or of its columns must lie side by side"
                                        : "elements of its rows must lie side by side");
    out.ld = out.transposed ? (out.columns == 1 ? 0 : across) : (out.rows == 1 ? 0 : down);
    if (out.ld == 0 && (out.transposed ? out.columns : out.rows) > 1)
        return refuse(v.name, "a view that repeats a row", "rows of a matrix lie apart: copy the tensor");
    if (!joined(v, n - 2, out.batch, out.stride))
        return refuse(v.name, "of shape " + in_words(v), "its matrices must lie in even steps");
    if (out.batch == 1) out.stride = -1;
    return true;
}

bool has_shape(const view& v, const matrix& m, std::int64_t rows, std::int64_t columns, const char* what) {
    return (m.rows == rows && m.columns == columns) ||
           refuse(v.name, "of shape " + in_words(v),
                  what + (" [" + std::to_string(rows)) + ", " + std::to_string(columns) + "]");
}

bool same_batch(const view& v, matrix& m, std::int64_t batch) {
    if (m.batch == batch) return true;
    if (m.batch == 1) return m.stride = 0, true;
    return refuse(v.name, "of shape " + in_words(v),
                  "d has " + std::to_string(batch) + " matrices, so it has as many or one");
}

bool stage_memory(const view& v, const product_shape& d, fade_stage& s) {
    if (!takes_memory(s.kind)) return true;
    if (!v.given()) return refuse(v.name, "None", "the stage has a tensor");
    if (s.kind == FADE_AMAX) {
        s.values = list_of(v, FADE_F32, 1, "the largest magnitude");
        return !PyErr_Occurred();
    }
    if (!takes_matrix(s.kind)) {
        s.values = list_of(v, d.type, list_length(d, s.kind), list_words(d, s.kind));
        return !PyErr_Occurred();
    }
    matrix m;
    if (!matrix_of(v, false, m)) return false;
    if (v.type != d.type || m.rows != d.rows || m.columns != d.columns)
        return refuse(v.name, "of shape " + in_words(v), "the stage has a matrix of the shape and type of d");
    if (s.kind == FADE_AUX && m.batch != d.batch)
        return refuse(v.name, "of shape " + in_words(v),
                      "aux writes each of d's " + std::to_string(d.batch) + " matrices");
    if (!same_batch(v, m, d.batch)) return false;
    s.values = v.data, s.ld = m.ld, s.batch_stride = m.stride;
    return true;
}

}  // namespace fade::python

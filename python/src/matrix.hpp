// Matrices of a call as the library takes them, and what stages read beside them.
#pragma once
#include "stages.hpp"

namespace fade::python {

/// A matrix, or a batch of them, that a product can read as it lies.
struct matrix {
    std::int64_t rows, columns, ld, batch, stride;
    bool transposed;
};

/// Sees a matrix, or sets an error and is false.
bool matrix_of(const view& v, bool may_be_transposed, matrix& out);

/// Has a matrix that shape? Where not, an error is set, whose rule begins as `what` says.
bool has_shape(const view& v, const matrix& m, std::int64_t rows, std::int64_t columns,
               const char* what = "it is");

/// Has it as many matrices as the result, or one for all?
bool same_batch(const view& v, matrix& m, std::int64_t batch);

/// The result of a product: `batch` matrices, or one whose rows lie in `groups`.
struct product_shape {
    int type;
    std::int64_t rows, columns, batch, groups;
};

/// Memory of a stage: a list, or matrices of the result's shape.
bool stage_memory(const view& v, const product_shape& d, fade_stage& s);

/// read_stages() of a product of that shape. What stands behind a gate has half of its columns.
template <class Arguments>
bool read_product_stages(device_object& on, PyObject* list, Arguments& g, product_shape shape,
                         fade_stage* stages, view* views) {
    const auto memory = [&](const view& v, fade_stage& to) {
        if (is_gate(to.kind)) shape.columns /= 2;
        return stage_memory(v, shape, to);
    };
    return read_stages(on, list, g, stages, views, memory);
}

}  // namespace fade::python

// An epilogue stage of the demo's own: all that it takes to fuse something into the kernel.
#pragma once
#include <fade/epilogue/all.hpp>

namespace demo {

/// |x|^2 + |y|^2 - 2 x.y, the squared distance of x and y, from their product x.y.
struct squared_distance : fade::epilogue::stage {
    static constexpr const char* name = "squared_distance";
    const float *rows, *columns;  // |x|^2 of every row of D, |y|^2 of every column
    squared_distance(const float* r, const float* c) : rows(r), columns(c) {}

    template <class Value>
    FADE_FN Value operator()(Value xy, const fade::epilogue::position& at) const {
        return at.load<Value>(rows, at.row) + at.load<Value>(columns, at.column) - Value(2) * xy;
    }
};

}  // namespace demo

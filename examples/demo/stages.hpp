// Two epilogue stages of the demo's own: all that it takes to fuse something into the kernel.
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

/// Writes what passes through to a matrix of D's shape: the input that an activation's gradient will need.
template <class T>
struct keep : fade::epilogue::stage {
    static constexpr const char* name = "keep";
    T* to;
    fade::index ld;
    keep(T* t, fade::index l) : to(t), ld(l) {}

    template <class Value>
    FADE_FN Value operator()(Value v, const fade::epilogue::position& at) const {
        if (at.inside) to[at.row * ld + at.column] = fade::convert<T>(v);
        return v;
    }
};

}  // namespace demo

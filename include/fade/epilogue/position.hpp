// Where an element of D lies, and how a stage of an epilogue reads memory for it.
#pragma once
#include <fade/core/dtype.hpp>

namespace FADE_NAMESPACE::epilogue {

/// Row, column and batch of one element; `inside` is false for lanes whose element does not exist (their
/// loads give zero).
struct position {
    index row, column, batch;
    bool inside;

    /// p[at], converted to the type of the accumulator. A lane without an element reads p[0].
    template <class Value, class T>
    FADE_FN Value load(const T* p, index at) const {
        return convert<Value>(p[inside ? at : 0]);
    }
};

}  // namespace FADE_NAMESPACE::epilogue

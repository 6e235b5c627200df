// A chain around its gate: what comes before sees the columns of the product, what comes behind those of D.
#pragma once
#include <fade/epilogue/chain.hpp>

namespace FADE_NAMESPACE::epilogue {

/// One column of the product, at `at` of it, through the stages before the gate.
template <class Gate, class Value>
FADE_FN Value before_gate(const Gate&, Value v, const position&) {
    return v;
}
template <class First, class Second, class Value>
FADE_FN Value before_gate(const chain<First, Second>& c, Value v, const position& at) {
    if constexpr (has_gate<First>)
        return before_gate(c.first, v, at);
    else
        return before_gate(c.second, c.first(v, at), at);
}

/// Two such neighbours through the gate and the stages behind it; `at` is the element of D.
template <class Gate, class Value>
FADE_FN Value from_gate(const Gate& gate, Value left, Value right, const position& at) {
    return gate(left, right, at);
}
template <class First, class Second, class Value>
FADE_FN Value from_gate(const chain<First, Second>& c, Value left, Value right, const position& at) {
    if constexpr (has_gate<First>)
        return c.second(from_gate(c.first, left, right, at), at);
    else
        return from_gate(c.second, left, right, at);
}

}  // namespace FADE_NAMESPACE::epilogue

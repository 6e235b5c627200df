// Stages of an epilogue, joined by | and fused into the kernel that makes D.
#pragma once
#include <string>
#include <type_traits>
#include <fade/epilogue/position.hpp>

namespace fade::epilogue {

/// Base of every stage. A stage is a small value with
///   template <class Value> Value operator()(Value v, const position& at) const;   // the accumulator's type in and out
///   static constexpr const char* name;
struct stage {};

template <class T>
concept is_stage = std::is_base_of_v<stage, T>;

/// No stage at all.
struct none : stage {
    static constexpr const char* name = "none";
    template <class Value>
    FADE_FN Value operator()(Value v, const position&) const { return v; }
};

/// First, then Second.
template <class First, class Second>
struct chain : stage {
    First first;
    Second second;
    FADE_FN chain(const First& f, const Second& s) : first(f), second(s) {}
    template <class Value>
    FADE_FN Value operator()(Value v, const position& at) const { return second(first(v, at), at); }
};

template <is_stage First, is_stage Second>
chain<First, Second> operator|(const First& first, const Second& second) { return {first, second}; }

template <class Stage>
std::string name_of(const Stage&) { return Stage::name; }
template <class First, class Second>
std::string name_of(const chain<First, Second>& c) { return name_of(c.first) + "+" + name_of(c.second); }

}  // namespace fade::epilogue

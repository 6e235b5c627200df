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

/// One sentence for whatever is handed over as an epilogue and is none.
template <class Stage>
constexpr void require_stage() {
    static_assert(is_stage<Stage>, "the epilogue is no stage: it takes fade::relu() and its kin, what | makes of them, or a type derived from fade::epilogue::stage");
    if constexpr (is_stage<Stage>)
        static_assert(requires(const Stage& s, const position& at) { s(1.0f, at); },
                      "this stage of an epilogue cannot be called: give it template <class Value> Value operator()(Value, const fade::epilogue::position&) const");
}

template <class First, class Second>
    requires(is_stage<First> || is_stage<Second>)
chain<First, Second> operator|(const First& first, const Second& second) {
    require_stage<First>(), require_stage<Second>();
    return {first, second};
}

template <class Stage>
std::string name_of(const Stage&) {
    static_assert(requires { Stage::name; }, "this stage of an epilogue has no name: give it static constexpr const char* name");
    return Stage::name;
}
template <class First, class Second>
std::string name_of(const chain<First, Second>& c) { return name_of(c.first) + "+" + name_of(c.second); }

}  // namespace fade::epilogue

// The type in which the stages of an epilogue compute.
#pragma once
#include <fade/core/dtype.hpp>
#include <fade/epilogue/chain.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::epilogue {

/// Does a stage say whether it makes reals of whole numbers? A chain does if its stages do.
template <class Stage>
inline constexpr bool says_floating = requires { Stage::floating; };
template <class First, class Second>
inline constexpr bool says_floating<chain<First, Second>> = says_floating<First> && says_floating<Second>;

template <class Stage>
inline constexpr bool is_floating = [] {
    if constexpr (says_floating<Stage>) return bool(Stage::floating);
    return false;
}();
template <class First, class Second>
inline constexpr bool is_floating<chain<First, Second>> = is_floating<First> || is_floating<Second>;

/// What alpha, beta and the stages compute in: the type of the sums, as far as these are reals.
template <class Sum, class Out, class Stage>
struct value_of {
    using type = Sum;
};

/// Sums of whole numbers stay whole numbers where D and all stages take them; else they become f32, or f64
/// for a D of that type.
template <class Out, class Stage>
    requires(floating_element<Out>)
struct value_of<i32, Out, Stage> {
    using type = std::conditional_t<std::is_same_v<Out, f64>, f64, f32>;
};
template <class Out, class Stage>
    requires(!floating_element<Out> && is_stage<Stage>)
struct value_of<i32, Out, Stage> {
    static_assert(
        says_floating<Stage>,
        "a stage of this epilogue sees whole numbers and does not say whether it makes reals of them: "
        "give it static constexpr bool floating = true (it computes in f32 then) or false");
    using type = std::conditional_t<is_floating<Stage>, f32, i32>;
};

template <class Sum, class Out, class Stage>
using value_t = typename value_of<Sum, Out, std::remove_cvref_t<Stage>>::type;

}  // namespace FADE_NAMESPACE::epilogue

// Stages of an epilogue, joined by | and fused into the kernel that makes D.
#pragma once
#include <fade/epilogue/memory.hpp>
#include <string>
#include <type_traits>

namespace FADE_NAMESPACE::epilogue {

/// Base of every stage. A stage is a small value with
///   template <class Value> Value operator()(Value v, const position& at) const;   // the accumulator's type
///   in and out static constexpr const char* name;
struct stage {};

template <class T>
concept is_stage = std::is_base_of_v<stage, T>;

/// Base of the stages that make one column of D of two of the product. One has, in place of a stage's call,
///   template <class Value> Value operator()(Value gate, Value up, const position& at) const;
/// where `at` is the element of D.
struct gate : stage {};

template <class Epilogue>
inline constexpr int gates_in = std::is_base_of_v<gate, Epilogue>;

/// Is D half as wide as the product?
template <class Epilogue>
inline constexpr bool has_gate = gates_in<Epilogue> > 0;
template <class Epilogue>
inline constexpr int columns_per_output = has_gate<Epilogue> ? 2 : 1;

/// Are the stages of this chain looked up while the kernel runs?
template <class Epilogue>
inline constexpr bool chosen_at_run_time = false;
/// Is its code so long that the results of a lane share it, instead of having one each?
template <class Epilogue>
inline constexpr bool is_long = false;
/// Does a stage say that a result takes tens of instructions, as exponentials do?
template <class Epilogue>
inline constexpr bool is_transcendental = requires { requires Epilogue::transcendental; };

/// No stage at all.
struct none : stage {
    static constexpr const char* name = "none";
    static constexpr bool floating = false;
    template <class Value>
    FADE_FN Value operator()(Value v, const position&) const {
        return v;
    }
};

/// First, then Second.
template <class First, class Second>
struct chain : stage {
    First first;
    Second second;
    FADE_FN chain(const First& f, const Second& s) : first(f), second(s) {}
    template <class Value>
    FADE_FN Value operator()(Value v, const position& at) const {
        return second(first(v, at), at);
    }
};

template <class First, class Second>
inline constexpr int gates_in<chain<First, Second>> = gates_in<First> + gates_in<Second>;
template <class First, class Second>
inline constexpr bool chosen_at_run_time<chain<First, Second>> =
    chosen_at_run_time<First> || chosen_at_run_time<Second>;
template <class First, class Second>
inline constexpr bool is_long<chain<First, Second>> = is_long<First> || is_long<Second>;
template <class First, class Second>
inline constexpr bool is_transcendental<chain<First, Second>> =
    is_transcendental<First> || is_transcendental<Second>;

/// Stages that a kernel refers to are those that it was given.
template <class Stage>
inline constexpr int gates_in<const Stage&> = gates_in<Stage>;
template <class Stage>
inline constexpr bool chosen_at_run_time<const Stage&> = chosen_at_run_time<Stage>;
template <class Stage>
inline constexpr bool is_long<const Stage&> = is_long<Stage>;
template <class Stage>
inline constexpr bool is_transcendental<const Stage&> = is_transcendental<Stage>;

/// A sum of products before it becomes a value. The first stage of a chain may take from it what is exact
/// only while it is a whole number: i32 corrected(i32 sum, const position& at) const.
template <class Epilogue, class Sum>
FADE_FN Sum corrected(const Epilogue& e, Sum sum, const position& at) {
    if constexpr (requires { e.first.corrected(sum, at); })
        return e.first.corrected(sum, at);
    else
        return sum;
}

/// What a stage sees behind Before: half of the columns, where that is a gate or holds one.
template <class Before>
output_shape behind(output_shape d) {
    d.columns /= columns_per_output<Before>;
    return d;
}
template <class Before>
FADE_FN position behind(const position& at) {
    return {at.row, at.column / columns_per_output<Before>, at.batch, at.inside};
}

template <class Stage>
constexpr bool is_called() {
    if constexpr (std::is_base_of_v<gate, Stage>)
        return requires(const Stage& s, const position& at) { s(1.0f, 1.0f, at); };
    else
        return requires(const Stage& s, const position& at) { s(1.0f, at); };
}

/// True for a stage; what is handed over as an epilogue and is none does not compile, in one sentence.
template <class Stage>
constexpr bool require_stage() {
    constexpr bool sums = requires { Stage::sums_what_is_stored; };
    static_assert(!sums, "row_sums and column_sums stand behind a gemm, and this call "
                         "takes none: add up what it makes by fade::sum of <fade/reduce.hpp>");
    static_assert(sums || is_stage<Stage>,
                  "the epilogue is no stage: it takes fade::relu() and its kin, what | "
                  "makes of them, or a type derived from fade::epilogue::stage");
    if constexpr (is_stage<Stage>) {
        static_assert(
            std::is_trivially_copyable_v<Stage>,
            "this stage of an epilogue is not trivially copyable, since it holds what owns memory (as "
            "std::string and std::vector do): kernels get its bytes, so let it hold numbers and pointers");
        static_assert(is_called<Stage>(),
                      "this stage of an epilogue cannot be called: give it template <class Value> Value "
                      "operator()(Value, const fade::epilogue::position&) const, and a gate "
                      "operator()(Value gate, Value up, const fade::epilogue::position&) const");
        static_assert(gates_in<Stage> <= 1,
                      "this epilogue has two gates (swiglu, geglu and their kin): each halves the columns of "
                      "D, and a product holds one: let a second product have the other");
    }
    return is_stage<Stage> && std::is_trivially_copyable_v<Stage> && gates_in<Stage> <= 1;
}

/// True for a stage that keeps the columns of D, which is all that convolutions take.
template <class Stage>
constexpr bool require_no_gate() {
    static_assert(!has_gate<Stage>,
                  "a gate (swiglu, geglu and their kin) pairs the columns of a matrix product, and this call "
                  "makes none: give it to gemm or grouped_gemm, or apply it to what this call makes");
    return !has_gate<Stage>;
}

template <class First, class Second>
    requires(is_stage<First> || is_stage<Second>)
chain<First, Second> operator|(const First& first, const Second& second) {
    require_stage<First>(), require_stage<Second>();
    return {first, second};
}

/// Stages that read memory check it against D, and make their strides explicit, before anything runs.
template <class Stage>
void bind(Stage& one, const output_shape& d) {
    if constexpr (requires { one.bind(d); }) one.bind(d);
}
template <class First, class Second>
void bind(chain<First, Second>& both, const output_shape& d) {
    bind(both.first, d), bind(both.second, behind<First>(d));
}

template <class Stage>
std::string name_of(const Stage&) {
    static_assert(
        requires { Stage::name; },
        "this stage of an epilogue has no name: give it static constexpr const char* name");
    return Stage::name;
}
template <class First, class Second>
std::string name_of(const chain<First, Second>& c) {
    return name_of(c.first) + "+" + name_of(c.second);
}

}  // namespace FADE_NAMESPACE::epilogue

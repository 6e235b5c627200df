// Matrix multiplications of one type of inputs (FADE_C_TYPE), for the types of outputs that are usual.
#include "gemm.hpp"
#include "finds.hpp"

namespace fade::c {
namespace {

template <class In, class Out>
struct gemm_runner {
    using arguments = fade_gemm_args;

    template <class Epilogue>
    static outcome with(device& on, const arguments& g, const Epilogue& epilogue, const manner& how) {
#if defined(FADE_C_TUNE)
        if constexpr (is_tuned_here<In, Out>())
            if (how.finds) {
                const gemm_operands<In, Out> o{static_cast<const In*>(g.a), static_cast<const In*>(g.b),
                                               static_cast<const Out*>(g.c), static_cast<Out*>(g.d)};
                const gemm_problem problem = problem_of(g);
                detail::product_to_tune<In, Out, Epilogue, device> product(on, problem, o, epilogue,
                                                                           g.split_k);
                return found_of(on, product, how);
            }
#endif
        return product_of<In, Out>(on, g, epilogue, how);
    }
    static outcome run(device& on, const arguments& g, const manner& how) {
        // CPUs branch at a stage once a row, so there a chain of none needs no kernel of its own.
        if constexpr (learns_arch<device>)
            if (g.stage_count == 0) return with(on, g, epilogue::none{}, how);
        return with_stages<In, Out>(g.stages, g.stage_count,
                                    [&](const auto& chain) { return with(on, g, chain, how); });
    }
};

template <class In, class... Outs>
struct add_all {
    add_all() {
        if constexpr (multiplied_here<In>())
            (static_cast<void>(add_caller<operation::gemm, In, Outs, gemm_runner<In, Outs>>()), ...);
        (add_finds<Outs>(), ...);
    }
    template <class Out>
    static void add_finds() {
        if constexpr (is_tuned_here<In, Out>()) static_cast<void>(add_find<operation::gemm, In, Out>());
#if defined(FADE_C_TUNE)
        if constexpr (is_given_here<In, Out>()) add_background<operation::gemm, In, fade_gemm_args, &give>();
#endif
    }
#if defined(FADE_C_TUNE)
    static bool give(tune::background& to, const fade_gemm_args& g, int threads) {
        return to.gemm<In>(problem_of(g), threads, g.split_k, any_chain<In>{});
    }
#endif
};

template <class In>
struct usual : add_all<In, bf16, f16, f32> {};
template <>
struct usual<f64> : add_all<f64, f64> {};
template <>
struct usual<f32> : add_all<f32, f32> {};
template <>
struct usual<f16> : add_all<f16, f16, f32> {};
template <>
struct usual<bf16> : add_all<bf16, bf16, f32> {};
template <>
struct usual<i8> : add_all<i8, i32, f32> {};

const usual<fade::FADE_C_TYPE> added;

}  // namespace
}  // namespace fade::c

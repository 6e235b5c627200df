// Matrix multiplications of each type of inputs (FADE_C_TYPES), for the types of outputs that are usual.
#include "gemm.hpp"
#include "finds.hpp"
#include "types.hpp"

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

#if defined(FADE_C_TUNE)
template <class In>
bool give(tune::background& to, const fade_gemm_args& g, int threads) {
    return to.gemm<In>(problem_of(g), threads, g.split_k, any_chain<In>{});
}
#endif

template <class In, class Out>
void add_one() {
    if constexpr (multiplied_here<In>()) add_caller<operation::gemm, In, Out, gemm_runner<In, Out>>();
    add_find<operation::gemm, In, Out>();
#if defined(FADE_C_TUNE)
    if constexpr (is_given_here<In, Out>()) add_background<operation::gemm, In, fade_gemm_args, &give<In>>();
#endif
}
template <class In>
void add() {
    if constexpr (std::is_same_v<In, i8>)
        add_one<In, i32>();
    else if constexpr (is_float8<In>)
        add_one<In, bf16>(), add_one<In, f16>();
    else
        add_one<In, In>();
    if constexpr (sizeof(In) < sizeof(f32)) add_one<In, f32>();
}
const bool added = of_each_type([]<class In>(type_of<In>) { add<In>(); });

}  // namespace
}  // namespace fade::c

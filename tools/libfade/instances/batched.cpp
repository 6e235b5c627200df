// Products by tables of pointers, of each type of inputs (FADE_C_TYPES), for results of the same and of f32.
#include "gemm_problem.hpp"
#include "stages.hpp"
#include "types.hpp"
#include <fade/batched_gemm.hpp>

namespace fade::c {
namespace {

/// A table of fade.h, whose pointers have no type, as one of pointers to T.
template <class T, class Pointer>
T* const* table_of(Pointer const* table) {
    return reinterpret_cast<T* const*>(table);
}

template <class In, class Out>
struct batched_runner {
    using arguments = fade_batched_gemm_args;

    template <class Epilogue>
    static outcome with(device& on, const arguments& g, const Epilogue& epilogue, const manner& how) {
        const batched_gemm_operands<In, Out> o{.a = table_of<const In>(g.a),
                                               .b = table_of<const In>(g.b),
                                               .c = table_of<const Out>(g.c),
                                               .d = table_of<Out>(g.d)};
        batched_gemm_options options{.strict = how.strict, .alignment = g.alignment};
        if (g.check_pointers >= 0) options.check_pointers = g.check_pointers == 1;
        if (!how.plans) return {batched_gemm<In, Out>(on, problem_of(g), o, epilogue, options), {}, 0};
        gemm_plan p = plan_batched_gemm<In, Out>(on, problem_of(g), o, epilogue, options);
        return {std::move(p.report), std::move(p.launches), p.workspace_bytes};
    }
    static outcome run(device& on, const arguments& g, const manner& how) {
        // As of gemm: CPUs and emulation need no kernel of their own for a chain of none.
        if constexpr (learns_arch<device>)
            if (g.stage_count == 0) return with(on, g, epilogue::none{}, how);
        return with_stages<In, Out>(g.stages, g.stage_count,
                                    [&](const auto& chain) { return with(on, g, chain, how); });
    }
};

template <class In>
void add() {
    add_caller<operation::batched_gemm, In, In, batched_runner<In, In>>();
#if !defined(FADE_C_ARCH)
    using wider = std::conditional_t<(sizeof(In) < sizeof(float)), float, In>;
    add_caller<operation::batched_gemm, In, wider, batched_runner<In, wider>>();
#endif
}
const bool added = of_each_type([]<class In>(type_of<In>) { add<In>(); });

}  // namespace
}  // namespace fade::c

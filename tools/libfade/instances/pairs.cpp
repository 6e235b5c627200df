// Matrix multiplications of two 8-bit floats: A's type is one of FADE_C_TYPES, and B's the other of the same
// kind.
#include "gemm.hpp"
#include "types.hpp"

namespace fade::c {
namespace {

template <class A>
using other_float8 = std::conditional_t<
    std::is_same_v<A, f8e4m3>, f8e5m2,
    std::conditional_t<std::is_same_v<A, f8e5m2>, f8e4m3,
                       std::conditional_t<std::is_same_v<A, f8e4m3fnuz>, f8e5m2fnuz, f8e4m3fnuz>>>;

template <class A, class Out>
struct pair_runner {
    using arguments = fade_gemm_args;
    using in = operand_pair<A, other_float8<A>>;

    static outcome run(device& on, const arguments& g, const manner& how) {
        // As of gemm: CPUs and emulation need no kernel of their own for a chain of none.
        if constexpr (learns_arch<device>)
            if (g.stage_count == 0) return product_of<in, Out>(on, g, epilogue::none{}, how);
        return with_stages<in, Out>(g.stages, g.stage_count, [&](const auto& chain) {
            return product_of<in, Out>(on, g, chain, how);
        });
    }
};

template <class In>
void add() {
    add_caller<operation::gemm_of_pairs, In, bf16, pair_runner<In, bf16>>();
    add_caller<operation::gemm_of_pairs, In, float, pair_runner<In, float>>();
}
const bool added = of_each_type([]<class In>(type_of<In>) { add<In>(); });

}  // namespace
}  // namespace fade::c

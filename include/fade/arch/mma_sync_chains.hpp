// The atoms of NVIDIA architectures for products of which one feeds the next in registers.
#pragma once
#include <fade/arch/atom_list.hpp>
#include <fade/atom/mma_sm80_transposed.hpp>

namespace FADE_NAMESPACE::arch {

using mma_sync_chains =
    atom_list<takes<float, atom::outer<float, float, 32, 1>>, takes<f16, atom::mma_sm80_transposed<f16>>,
              takes<bf16, atom::mma_sm80_transposed<bf16>>>;

}  // namespace FADE_NAMESPACE::arch

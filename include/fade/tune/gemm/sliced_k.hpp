// The policy of few rows, by what an instruction of an architecture takes.
#pragma once
#include <bit>
#include <fade/kernel/gemm/sliced_k.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::tune {

/// How many slices of k a wave has in flight: what fits `registers` a lane, beside as many that are
/// multiplied.
template <class Atom>
constexpr int slices_in_flight(int columns, int registers) {
    constexpr int bytes = Atom::lane_k * int(sizeof(typename Atom::element)),
                  rows = Atom::lane_rows;  // of A
    const int slice = (rows + columns / Atom::n * Atom::lane_columns) * bytes / 4;
    return int(std::bit_floor(unsigned(max_of(registers / slice, 1))));
}

/// Tiles of an instruction's rows and 32 columns. Without tiles where the architecture multiplies In after a
/// conversion, or is the host, which has one kernel.
template <class Arch, class In>
constexpr gemm_policy sliced_k_policy() {
    if constexpr (!arch::has_atom<Arch, In>)
        return {};
    else if constexpr (Arch::traits.wave_size == 1 ||
                       !std::is_same_v<typename Arch::template atom<In>::element, In>)
        return {};
    else {
        using atom = kernel::sliced_atom<Arch, In>;
        constexpr int columns = 32, slices = slices_in_flight<atom>(columns, 48);
        return {.block_tile = {atom::m, columns, sliced_waves * slices * atom::lane_k * atom::k_groups},
                .wave_tile = {atom::m, columns},
                .pipeline = block::pipeline_kind::sliced_k,
                .waves_per_simd = 2};
    }
}

}  // namespace FADE_NAMESPACE::tune

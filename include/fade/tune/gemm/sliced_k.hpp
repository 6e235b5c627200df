// The policy of few rows, by what an instruction of an architecture takes.
#pragma once
#include <bit>
#include <fade/arch/traits.hpp>
#include <fade/kernel/gemm/sliced_k.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::tune {

/// Registers a lane for what is in flight: those of NVIDIA hold 64 bits of an address for each load, those of
/// gfx906 and gfx908 are 128.
template <class Arch>
constexpr int registers_in_flight() {
    constexpr arch::arch_traits t = Arch::traits;
    return t.family == arch::family::nvidia ? 24 : t.wave_size == 64 && t.vgprs_per_simd <= 256 ? 40 : 48;
}

/// Registers of a slice of A.
template <class Atom>
inline constexpr int words_of_rows = Atom::lane_rows * Atom::lane_k * int(sizeof(typename Atom::element)) / 4;
/// The same where it is read element by element.
template <class Atom>
inline constexpr int words_of_elements =
    Atom::lane_rows * Atom::lane_k * block::registers_of_element<typename Atom::element>;

/// Tiles of an instruction's rows and so many columns. A wave has as many slices of k in flight as registers
/// hold beside as many that are multiplied, `of_columns` of them a slice of B and `of_rows` one of A.
template <class Arch, class Atom>
constexpr gemm_policy sliced_policy_of(int columns, int of_columns, int of_rows = words_of_rows<Atom>) {
    const int slices =
        int(std::bit_floor(unsigned(max_of(registers_in_flight<Arch>() / (of_rows + of_columns), 1))));
    return {.block_tile = {Atom::m, columns, sliced_waves * slices * Atom::lane_k * Atom::k_groups},
            .wave_tile = {Atom::m, columns},
            .pipeline = block::pipeline_kind::sliced_k,
            .waves_per_simd = 2};
}

/// NVIDIA's 16 bits along k: half the registers of a workgroup, so that two share a multiprocessor, and twice
/// as many workgroups as tiles of 32 columns have.
template <class Atom>
inline constexpr gemm_policy mma_16bit_policy{
    .block_tile = {Atom::m, 16, sliced_waves * 4 * Atom::lane_k* Atom::k_groups},
    .wave_tile = {Atom::m, 16},
    .pipeline = block::pipeline_kind::sliced_k,
    .waves_per_simd = 4};

/// Does an architecture have lanes, and multiply In without a conversion? Few columns are few rows of the
/// transpose, so that operands must have one type.
template <class Arch, class In>
constexpr bool multiplies_as_it_is() {
    if constexpr (!arch::has_atom<Arch, In> || is_operand_pair<In>)
        return false;
    else
        return Arch::traits.wave_size > 1 && std::is_same_v<typename Arch::template atom<In>::element, In>;
}

/// Of few rows, A read in runs of k or element by element, B in runs of k or in lines of columns. Without
/// tiles where there is no such kernel: the host has one for all products, lines of 8-bit elements are not
/// transposed, and registers must hold a slice in flight and one that is multiplied.
template <class Arch, class In, bool Elements, bool Lines>
constexpr gemm_policy sliced_k_policy() {
    if constexpr (multiplies_as_it_is<Arch, In>() && (sizeof(In) >= 2 || !Lines)) {
        using atom = kernel::sliced_atom<Arch, In>;
        if constexpr (Arch::traits.family == arch::family::nvidia && sizeof(In) == 2 && !Elements && !Lines)
            return mma_16bit_policy<atom>;
        constexpr int columns = Lines ? max_of(32, atom::n * block::line_patch<atom>::joined) : 32,
                      words = atom::lane_columns * atom::lane_k * int(sizeof(In)) / 4,
                      of_columns = columns / atom::n * words,
                      of_rows = Elements ? words_of_elements<atom> : words_of_rows<atom>;
        if constexpr (2 * (of_rows + of_columns) <= Arch::traits.vgprs_per_simd / 2)
            return sliced_policy_of<Arch, atom>(columns, of_columns, of_rows);
    }
    return {};
}

}  // namespace FADE_NAMESPACE::tune

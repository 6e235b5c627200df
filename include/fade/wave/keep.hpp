// Values pinned in registers: what compilers would otherwise move, or put into registers that are scarce.
#pragma once
#include <cstdint>
#include <fade/arch/traits.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::wave {

/// Takes a value by itself: comparisons of a whole tile at once, or vectors of a scalar factor, would not fit
/// the scalar registers.
template <class Block>
FADE_FN float fenced(float x) {
    auto bits = __builtin_bit_cast(std::uint32_t, x);
    Block::keep(bits);
    return __builtin_bit_cast(float, bits);
}

/// Takes what is the same for all lanes into their registers, where waves of 64 lanes are short of scalar
/// ones; waves of 32 are short of those of lanes.
template <class Block>
FADE_FN float kept(float x) {
    return Block::wave_size < 64 ? x : fenced<Block>(x);
}
/// A number that all lanes have: by force in a scalar register of waves of 32, which have some to spare,
/// where compilers load it as each lane's own.
template <class Block>
FADE_FN float of_all_lanes(float x) {
    return Block::wave_size == 32 ? __builtin_bit_cast(float, Block::uniform(__builtin_bit_cast(int, x))) : x;
}
template <class Block>
FADE_FN int kept(int x) {
    return __builtin_bit_cast(int, kept<Block>(__builtin_bit_cast(float, x)));
}
template <class Block, class T>
FADE_FN const T* kept(const T* p) {
    if constexpr (Block::wave_size < 64) return p;
    auto words = __builtin_bit_cast(vec<std::uint32_t, 2>, p);
    Block::keep(words[0]), Block::keep(words[1]);
    return __builtin_bit_cast(const T*, words);
}

/// Takes a value of several registers into those of the lanes, where scalar ones have no room for it.
template <class Block, class Operand>
FADE_FN Operand in_lanes(const Operand& operand) {
    if constexpr (Block::arch::traits.family == arch::family::nvidia) return operand;  // there are none
    auto words = __builtin_bit_cast(vec<std::uint32_t, sizeof(Operand) / 4>, operand);
    FADE_UNROLL
    for (std::size_t i = 0; i < sizeof(Operand) / 4; ++i) Block::keep(words[int(i)]);
    return __builtin_bit_cast(Operand, words);
}

}  // namespace FADE_NAMESPACE::wave

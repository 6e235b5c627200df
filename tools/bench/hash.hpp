// Hashes of bytes and of words.
#pragma once
#include <cstdint>
#include <cstring>

namespace fade::bench {

/// Spreads the bits of a word (the finaliser of SplitMix64).
constexpr std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// A hash of bytes that goes on from `state`.
inline std::uint64_t hash_of(const void* bytes, std::size_t count, std::uint64_t state = 0) {
    const char* at = static_cast<const char*>(bytes);
    state ^= count;
    for (; count >= 8; at += 8, count -= 8) {
        std::uint64_t word;
        std::memcpy(&word, at, 8);
        state = (state ^ word) * 0x9fb21c651e98df25u;
        state ^= state >> 29;
    }
    std::uint64_t rest = 0;
    if (count) std::memcpy(&rest, at, count);
    return mixed(state ^ rest);
}

}  // namespace fade::bench

// Which weights fall, as docs/attention.md says it: a Philox 4x32-10 that shares nothing with the kernels'.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace fade::test {

/// Word `which` of what a key makes of a counter, words and keys from the lowest: each round multiplies words
/// 0 and 2, and the key grows. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011).
inline std::uint32_t random_word(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key,
                                 int which) {
    for (int round = 0; round < 10; ++round) {
        const auto times = [&](int word, std::uint32_t factor) {
            return static_cast<unsigned __int128>(counter[static_cast<std::size_t>(word)]) * factor;
        };
        const auto high = [](unsigned __int128 x) { return static_cast<std::uint32_t>(x >> 32); };
        const auto first = times(0, 3528531795u), second = times(2, 3449720151u);
        counter = {high(second) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(second),
                   high(first) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first)};
        key[0] += 2654435769u, key[1] += 3144134277u;
    }
    return counter[static_cast<std::size_t>(which)];
}

struct weight_place {
    std::uint64_t batch, heads, head, query, key;
};

inline std::uint32_t random_of(std::uint64_t seed, std::uint64_t offset, const weight_place& at) {
    const std::uint64_t row = offset + at.query;
    return random_word(
        {static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(row >> 32),
         static_cast<std::uint32_t>(at.key / 4), static_cast<std::uint32_t>(at.batch * at.heads + at.head)},
        {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}, int(at.key % 4));
}

}  // namespace fade::test

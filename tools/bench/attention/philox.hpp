// The reference's own Philox 4x32-10: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011).
#pragma once
#include <array>
#include <cstdint>

namespace fade::bench {

using four_words = std::array<std::uint32_t, 4>;

/// Ten rounds: the high halves of two products cross over, the key grows by the golden ratio and by sqrt(3)
/// - 1.
constexpr four_words random_words(four_words counter, std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t one = 0xd2511f53ull * counter[0], other = 0xcd9e8d57ull * counter[2];
        counter = {std::uint32_t(other >> 32) ^ counter[1] ^ key[0], std::uint32_t(other),
                   std::uint32_t(one >> 32) ^ counter[3] ^ key[1], std::uint32_t(one)};
        key = {key[0] + 0x9e3779b9u, key[1] + 0xbb67ae85u};
    }
    return counter;
}

// The known answers that come with the authors' Random123.
static_assert(random_words({0, 0, 0, 0}, {0, 0}) ==
              four_words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
static_assert(random_words({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) ==
              four_words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
static_assert(random_words({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
              four_words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});

/// The random number of one weight: four keys share a counter of (query, query's high word, key / 4, batch *
/// heads + head).
constexpr std::uint32_t random_of_weight(std::uint64_t seed, std::uint64_t query, std::uint32_t layer,
                                         std::uint32_t key) {
    return random_words({std::uint32_t(query), std::uint32_t(query >> 32), key / 4, layer},
                        {std::uint32_t(seed), std::uint32_t(seed >> 32)})[key % 4];
}

}  // namespace fade::bench

// Philox 4x32-10: random numbers by counter, the same on every machine and for every tiling.
// Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011).
#pragma once
#include <cstdint>
#include <fade/core/config.hpp>
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE::kernel {

struct philox_block {
    std::uint32_t word[4];
};

FADE_FN constexpr philox_block philox(std::uint64_t key, std::uint64_t low, std::uint64_t high) {
    philox_block c{
        {std::uint32_t(low), std::uint32_t(low >> 32), std::uint32_t(high), std::uint32_t(high >> 32)}};
    std::uint32_t k0 = std::uint32_t(key), k1 = std::uint32_t(key >> 32);
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t(0xD2511F53u) * c.word[0],
                            b = std::uint64_t(0xCD9E8D57u) * c.word[2];
        c = {{std::uint32_t(b >> 32) ^ c.word[1] ^ k0, std::uint32_t(b),
              std::uint32_t(a >> 32) ^ c.word[3] ^ k1, std::uint32_t(a)}};
        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
    }
    return c;
}

/// The random numbers of the probabilities of four keys: counter (offset + query, layer and keys / 4), layer
/// = batch * heads + head.
FADE_FN constexpr philox_block probability_block(std::uint64_t seed, std::uint64_t offset,
                                                 std::uint32_t layer, std::uint32_t query,
                                                 std::uint32_t four_keys) {
    return philox(seed, offset + query, std::uint64_t(layer) << 32 | four_keys);
}

/// word[i] without an address that is computed.
FADE_FN constexpr std::uint32_t word_of(philox_block b, std::uint32_t i) {
    const std::uint32_t even = i & 2 ? b.word[2] : b.word[0], odd = i & 2 ? b.word[3] : b.word[1];
    return i & 1 ? odd : even;
}

FADE_FN constexpr std::uint32_t dropout_random(std::uint64_t seed, std::uint64_t offset, std::uint32_t layer,
                                               std::uint32_t query, std::uint32_t key) {
    return word_of(probability_block(seed, offset, layer, query, key / 4), key % 4);
}

}  // namespace FADE_NAMESPACE::kernel

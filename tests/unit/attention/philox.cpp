// The dropout's random numbers against the known answers that Random123 publishes (kat_vectors, philox4x32
// 10).
#include "common/dropout_reference.hpp"
#include <doctest/doctest.h>
#include <fade/kernel/attention/philox.hpp>

TEST_CASE("Philox 4x32-10 yields the published numbers") {
    const auto zeros = fade::kernel::philox(0, 0, 0);
    CHECK(zeros.word[0] == 0x6627e8d5u);
    CHECK(zeros.word[1] == 0xe169c58du);
    CHECK(zeros.word[2] == 0xbc57ac4cu);
    CHECK(zeros.word[3] == 0x9b00dbd8u);
    const auto ones = fade::kernel::philox(~0ull, ~0ull, ~0ull);
    CHECK(ones.word[0] == 0x408f276du);
    CHECK(ones.word[1] == 0x41c83b0eu);
    CHECK(ones.word[2] == 0xa20bc7c6u);
    CHECK(ones.word[3] == 0x6d5451fdu);
    const auto pi = fade::kernel::philox(0x299f31d0a4093822ull, 0x85a308d3243f6a88ull, 0x0370734413198a2eull);
    CHECK(pi.word[0] == 0xd16cfe09u);
    CHECK(pi.word[1] == 0x94fdccebu);
    CHECK(pi.word[2] == 0x5001e420u);
    CHECK(pi.word[3] == 0x24126ea1u);
}

TEST_CASE("the reference's own numbers are the published ones, too") {
    const std::uint32_t answers[3][4] = {{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u},
                                         {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu},
                                         {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}};
    for (int i = 0; i < 4; ++i) {
        CHECK(fade::test::random_word({0, 0, 0, 0}, {0, 0}, i) == answers[0][i]);
        CHECK(fade::test::random_word({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}, i) == answers[1][i]);
        CHECK(fade::test::random_word({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u},
                                      {0xa4093822u, 0x299f31d0u}, i) == answers[2][i]);
    }
}

TEST_CASE("a weight's whole counter is what the documentation says: query and offset, key, batch and head") {
    // The third published answer, reached by a weight: its counter is cut into the words of one.
    const std::uint64_t seed = 0x299f31d0a4093822ull, row = 0x85a308d3243f6a88ull, query = 1000003;
    const std::uint32_t layer = 0x03707344u, four = 0x13198a2eu, heads = 17;
    const std::uint32_t answers[4] = {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u};
    for (std::uint32_t i = 0; i < 4; ++i) {
        CHECK(fade::kernel::dropout_random(seed, row - query, layer, std::uint32_t(query), 4 * four + i) ==
              answers[i]);
        CHECK(fade::test::random_of(seed, row - query,
                                    {layer / heads, heads, layer % heads, query, 4 * four + i}) ==
              answers[i]);
    }
}

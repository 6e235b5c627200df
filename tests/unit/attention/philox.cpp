// The dropout's random numbers against the known answers that Random123 publishes (kat_vectors, philox4x32
// 10).
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

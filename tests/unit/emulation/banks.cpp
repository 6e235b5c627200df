// Bank conflicts are counted: known patterns give known counts.
#include <doctest/doctest.h>
#include <fade/gemm.hpp>
#include <ostream>

using namespace fade;

namespace {

struct counts {
    std::uint64_t accesses, extra;
    bool operator==(const counts&) const = default;
};
std::ostream& operator<<(std::ostream& to, const counts& c) {
    return to << c.accesses << " accesses, " << c.extra << " cycles of conflicts";
}

/// Every lane of one wave writes `Bytes` at `lane * Stride`, once.
template <int Bytes, int Stride>
struct writes {
    struct arguments {};
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = 1, .shared_bytes = 16384};
    }
    template <class Block>
    static void run(Block& block, const arguments&) {
        block.each_lane([&](lane_coord p) {
            block.store_shared(p, std::uint32_t(p.lane * Stride), vec<float, Bytes / 4>{});
        });
    }
};

template <class Arch, int Bytes, int Stride>
counts count(bool on = true) {
    emulated_device<Arch> d({.threads = 1, .count_bank_conflicts = on});
    d.template launch<writes<Bytes, Stride>>({1, 1, 1}, {});
    return {d.monitor().shared_accesses(), d.monitor().conflict_cycles()};
}

}  // namespace

// 128 bytes are served at a time: 32 lanes of 4 bytes, 16 of 8, 8 of 16. A bank is 4 bytes wide.
TEST_CASE("32 banks") {
    using wave64 = arch::gfx942;
    CHECK(count<wave64, 4, 4>() == counts{2, 0});
    CHECK(count<wave64, 4, 8>() == counts{2, 2});  // every second bank: two words each
    CHECK(count<wave64, 4, 16>() == counts{2, 6});
    CHECK(count<wave64, 4, 128>() == counts{2, 62});  // one bank: 32 words
    CHECK(count<wave64, 4, 132>() == counts{2, 0});   // one word of padding a row turns the banks
    CHECK(count<wave64, 4, 0>() == counts{2, 0});     // the same word for all is one access
    CHECK(count<wave64, 16, 16>() == counts{8, 0});
    CHECK(count<wave64, 16, 128>() == counts{8, 56});  // eight lanes on the same four banks
    CHECK(count<arch::gfx1100, 4, 4>() == counts{1, 0});
    CHECK(count<arch::gfx1100, 8, 64>() == counts{2, 14});
}

TEST_CASE("64 banks of gfx950") {
    CHECK(count<arch::gfx950, 4, 8>() == counts{2, 0});
    CHECK(count<arch::gfx950, 16, 128>() == counts{8, 24});  // two rows a wrap: four lanes on the same banks
}

TEST_CASE("nothing is counted unless asked") { CHECK(count<arch::gfx942, 4, 128>(false) == counts{0, 0}); }

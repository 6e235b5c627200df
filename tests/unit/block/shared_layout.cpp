// Shared tiles of every shipped policy: no two elements share a byte, none lies outside, and what moves as 16
// bytes lies together.
#include "common/policies.hpp"
#include <doctest/doctest.h>

using namespace fade;

namespace {

template <class Layout>
std::string wrong_layout() {
    constexpr int size = int(sizeof(typename Layout::element));
    std::vector<char> taken(unsigned{Layout::bytes});
    for (int row = 0; row < Layout::rows; ++row)
        for (int k = 0; k < Layout::depth; ++k) {
            const auto at = Layout::offset(row, k);
            if (at % size || at + size > std::uint32_t(Layout::bytes))
                return "an element lies outside or across its alignment";
            if (taken[at]++) return "two elements share a byte";
        }
    return "";
}

/// Runs of 16 bytes along k: aligned, and consecutive.
template <class Layout>
bool runs_lie_together() {
    for (int row = 0; row < Layout::rows; ++row)
        for (int k = 0; k < Layout::depth; ++k) {
            const int in_chunk = k % Layout::chunk;
            if (Layout::offset(row, k) != Layout::offset(row, k - in_chunk) +
                                              std::uint32_t(in_chunk) * sizeof(typename Layout::element))
                return false;
            if (in_chunk == 0 && Layout::offset(row, k) % 16) return false;
        }
    return true;
}

template <class Layout>
void check_layout(const std::string& of) {
    INFO(of);
    CHECK(wrong_layout<Layout>() == "");
    if constexpr (Layout::order == block::operand_order::k_contiguous) CHECK(runs_lie_together<Layout>());
}

}  // namespace

TEST_CASE("shared layouts of every policy") {
    test::each_shipped([](auto s) {
        check_layout<typename decltype(s)::traits::layout_a>(s.name() + " A");
        check_layout<typename decltype(s)::traits::layout_b>(s.name() + " B");
    });
}

TEST_CASE("the tiles of all stages lie beside one another, inside the workgroup's memory") {
    test::each_shipped([](auto s) {
        using traits = typename decltype(s)::traits;
        INFO(s.name());
        std::vector<char> taken(unsigned{traits::shared_bytes});
        const auto take = [&](std::uint32_t base, int bytes) {
            REQUIRE(base + std::uint32_t(bytes) <= std::uint32_t(traits::shared_bytes));
            for (int i = 0; i < bytes; ++i)
                if (taken[base + std::uint32_t(i)]++) return false;
            return true;
        };
        for (int stage = 0; stage < traits::stages; ++stage) {
            CHECK(take(traits::tiles(stage).a.base, traits::layout_a::bytes));
            CHECK(take(traits::tiles(stage).b.base, traits::layout_b::bytes));
        }
        CHECK(traits::shared_bytes <= decltype(s)::arch::traits.lds_per_workgroup);
    });
}

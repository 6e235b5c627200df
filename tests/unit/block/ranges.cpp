// Ranges of items, and what lanes find of them together, twice in the same shared memory: every item once,
// sums and maxima as they are, and no wave uses memory that another still reads.
#include <doctest/doctest.h>
#include <fade/block/lane_groups.hpp>
#include <fade/block/ranges.hpp>
#include <fade/device/devices.hpp>
#include <vector>

using namespace fade;

namespace {

constexpr int most_lanes = 256;

struct verbs_arguments {
    const float* x;
    float *totals, *sums, *largest;  ///< two of the first, two of `lanes` each, one
    int *by_items, *by_grid;         ///< how often each item was met
    int* by_rows;                    ///< [outer, inner, columns]
    int first, end, count, outer, inner, columns, lanes, groups, shares;
};

/// Of whole numbers, whose sums are exact in any order.
struct verbs_entry {
    using arguments = verbs_arguments;
    template <class Arch>
    static constexpr launch_shape shape() {
        constexpr int waves = Arch::traits.wave_size == 1 ? 1 : 2;
        return {.waves = waves, .shared_bytes = most_lanes * int(sizeof(float))};
    }
    template <class Block>
    static void run(Block& block, const arguments& a) {
        const int share = block.id_x();
        block::each_of(block, block::grid_range{a.count}, [&](int item) { ++a.by_grid[item]; });
        block::each_of(block, block::shared_rows{a.outer, a.inner, a.columns, share, a.shares},
                       [&](int o, int i, int c) { ++a.by_rows[(o * a.inner + i) * a.columns + c]; });
        if (share != 0) return;
        const block::item_range items{a.first, a.end};
        block::each_of(block, items, [&](int item) { ++a.by_items[item]; });
        for (int turn = 0; turn < 2; ++turn)
            a.totals[turn] =
                block::total_of(block, items, [&](int item) { return a.x[item] * float(1 + turn); });
        block::with_max(
            block, items, [&](int item) { return a.x[item]; }, [&](float max) { *a.largest += max; });
        block.sync();
        for (int turn = 0; turn < 2; ++turn)
            block::fold_groups(
                block, {a.lanes, a.groups},
                [&](int lane, int group) { return float((turn + 1) * (lane * 100 + group)); },
                [](float left, float right) { return left + right; },
                [&](int lane, float sum) { a.sums[turn * a.lanes + lane] += sum; });
    }
};

/// What is wrong with some sizes; nothing if all is right.
template <class Arch>
std::string wrong_verbs(int first, int end, int outer, int inner, int columns, int lanes, int groups) {
    constexpr int shares = 3;
    std::vector<float> x(std::size_t(end) + 1), totals(2, -7), sums(std::size_t(2 * lanes) + 1, 0);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(int(i * 37 % 101) - 50);
    constexpr int threads = verbs_entry::shape<Arch>().waves * Arch::traits.wave_size;
    const int count = shares * threads - threads / 2;
    std::vector<int> by_items(x.size()), by_grid(std::size_t(shares * threads)),
        by_rows(std::size_t(outer * inner * columns));
    float largest = 0;
    emulated_device<Arch> device({.threads = 1});
    device.template launch<verbs_entry>(
        {shares, 1, 1}, {x.data(), totals.data(), sums.data(), &largest, by_items.data(), by_grid.data(),
                         by_rows.data(), first, end, count, outer, inner, columns, lanes, groups, shares});
    float total = 0, most = 0;
    for (int i = first; i < end; ++i) total += x[std::size_t(i)], most = std::max(most, x[std::size_t(i)]);
    if (totals[0] != total || totals[1] != 2 * total) return "a total";
    if (largest != most) return "a maximum";
    for (int i = 0; i <= end; ++i)
        if (by_items[std::size_t(i)] != (i >= first && i < end)) return "items";
    for (int i = 0; i < shares * threads; ++i)
        if (by_grid[std::size_t(i)] != (i < count)) return "items of a grid";
    for (const int times : by_rows)
        if (times != 1) return "rows";
    for (int lane = 0; lane < lanes; ++lane)
        for (int turn = 0; turn < 2; ++turn)
            if (sums[std::size_t(turn * lanes + lane)] !=
                float((turn + 1) * (lane * 100 * groups + groups * (groups - 1) / 2)))
                return "sums of groups";
    return sums.back() == 0 ? "" : "a sum of no lane";
}

}  // namespace

TEST_CASE("ranges and groups of lanes of two waves") {
    for (const int groups : {1, 2, 5, 7}) {
        CAPTURE(groups);
        CHECK(wrong_verbs<arch::gfx1100>(3, 131, 5, 3, 70, 9, groups) == "");
    }
    CHECK(wrong_verbs<arch::gfx1100>(0, 1, 1, 1, 1, 40, 1) == "");
    CHECK(wrong_verbs<arch::gfx1100>(7, 7, 9, 4, 33, 40, 1) == "");
    CHECK(wrong_verbs<arch::gfx1100>(0, 64, 2, 7, 32, 33, 1) == "");
    CHECK(wrong_verbs<arch::gfx942>(5, 400, 3, 2, 65, 16, 8) == "");
}

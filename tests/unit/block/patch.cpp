// The patches that lanes copy: together they are the tile, once.
#include "common/policies.hpp"
#include <doctest/doctest.h>

using namespace fade;
using block::memory_order;

namespace {

template <class T, class Layout, memory_order Order, int Threads, int WaveSize>
std::string wrong_patches() {
    using patch = block::patch_shape<T, Layout, Order, Threads, WaveSize>;
    if (patch::per_tile * patch::elements != Layout::rows * Layout::depth) return "patches are no whole tile";
    if (patch::loads * patch::width != patch::elements) return "loads are no whole patch";
    std::vector<int> seen(std::size_t(Layout::rows * Layout::depth));
    for (int n = 0; n < patch::per_tile; ++n)
        for (int r = 0; r < patch::rows; ++r)
            for (int k = 0; k < patch::k; ++k) {
                const int row = patch::row(n) + r, depth = patch::depth(n) + k;
                if (row < 0 || row >= Layout::rows || depth < 0 || depth >= Layout::depth)
                    return "a patch lies outside its tile";
                if (seen[std::size_t(row * Layout::depth + depth)]++) return "an element is copied twice";
            }
    return "";
}

/// Neighbouring lanes take neighbouring memory: the next patch begins where one before it ends, along the
/// contiguous direction.
template <class T, class Layout, memory_order Order, int Threads, int WaveSize>
bool neighbours_touch() {
    using patch = block::patch_shape<T, Layout, Order, Threads, WaveSize>;
    constexpr int next = Order == memory_order::row_contiguous ? patch::k_lanes : 1;
    if (patch::per_tile <= next || (Order == memory_order::k_contiguous && patch::k_lanes < 2)) return true;
    if constexpr (Order == memory_order::row_contiguous)
        return patch::row(next) == patch::rows && patch::depth(next) == patch::depth(0);
    else
        return patch::depth(next) == patch::k && patch::row(next) == patch::row(0);
}

template <class Layout, class In, int Threads, int WaveSize = 32>
void check_orders(const std::string& of) {
    using enum memory_order;
    INFO(of);
    CHECK(wrong_patches<In, Layout, k_contiguous, Threads, WaveSize>() == "");
    CHECK(wrong_patches<In, Layout, row_contiguous, Threads, WaveSize>() == "");
    CHECK(wrong_patches<In, Layout, strided, Threads, WaveSize>() == "");
    CHECK(neighbours_touch<In, Layout, k_contiguous, Threads, WaveSize>());
    CHECK(neighbours_touch<In, Layout, row_contiguous, Threads, WaveSize>());
}

}  // namespace

TEST_CASE("patches of every policy") {
    test::each_shipped([](auto s) {
        using kernel = decltype(s);
        constexpr int wave = kernel::arch::traits.wave_size, threads = kernel::policy.waves() * wave;
        check_orders<typename kernel::traits::layout_a, typename kernel::in, threads, wave>(s.name() + " A");
        check_orders<typename kernel::traits::layout_b, typename kernel::in, threads, wave>(s.name() + " B");
    });
}

TEST_CASE("patches for numbers of lanes that do not divide a tile") {
    using layout = block::k_contiguous_layout<bf16, 48, 32, 128>;
    check_orders<layout, bf16, 32>("one wave");
    check_orders<layout, bf16, 96>("three waves");
    check_orders<layout, bf16, 160>("five waves");
    check_orders<layout, bf16, 1024>("more lanes than there is work for");
}

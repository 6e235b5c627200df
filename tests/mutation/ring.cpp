// Fails when a ring of asynchronous copies is wrong, whether its products are complete at once or overlap.
// Exit 1 at the first that is.
#include "common/gemm_edges.hpp"
#include "common/gemm_policy.hpp"
#include <cstdio>
#include <functional>
#include <utility>

using namespace fade;

namespace {

using ampere = arch::sm_80;
constexpr gemm_policy tiles{
    .block_tile = {32, 32, 32}, .wave_tile = {16, 16}, .pipeline = block::pipeline_kind::async_ring};
int failures = 0;
void say(const std::string& wrong) {
    if (!wrong.empty() && !failures++) std::printf("%s\n", wrong.substr(0, 200).c_str());
}

/// A workgroup whose products are made as late as they may be, as those of a warpgroup are by a matrix unit
/// that reads shared memory itself.
template <class Block>
struct late : Block {
    std::vector<std::function<void()>> started;
    template <int Pending>
    void wait_matrix() {
        for (; started.size() > Pending; started.erase(started.begin())) started.front()();
    }
};

/// The ring of warpgroups on an architecture that can be emulated.
struct late_entry : test::policy_entry<f16, tiles> {
    template <class Block>
    static void run(Block& on, const arguments& args) {
        using traits = kernel::gemm_traits<ampere, f16, tiles>;
        using group = late<Block>;
        using accumulator = typename traits::template accumulator<group>;
        group workgroup{std::move(on), {}};
        const auto walk = kernel::walk_over_tiles<tiles, group>(args);
        const auto at =
            kernel::place_in_output<tiles>(args, block::split_schedule(workgroup, walk, args.splits).work);
        constexpr auto along_k = block::memory_order::k_contiguous;
        auto loaders = block::paired(block::async_loader<group, f16, typename traits::layout_a, along_k>(
                                         workgroup, kernel::operand_a(args, at)),
                                     block::async_loader<group, f16, typename traits::layout_b, along_k>(
                                         workgroup, kernel::operand_b(args, at)),
                                     block::even_steps{});
        typename traits::template multiplier<group> product(workgroup);
        accumulator acc;
        wave::zero(workgroup, acc);
        block::run_warpgroup_ring<traits::stages>(
            workgroup, loaders, block::k_steps(at.k_count, traits::tile.k), traits::tile.k, traits::tiles,
            [&](const auto& pair) {
                workgroup.started.push_back([&, pair] { product.multiply(workgroup, acc, pair.a, pair.b); });
            });
        kernel::store_result<traits>(workgroup, acc, args, at);
    }
};

struct ring_entry : test::policy_entry<f16, tiles> {
    template <class Block>
    static void run(Block& block, const arguments& args) {
        kernel::gemm_body<tiles, tune::access_of(operand_access::nt)>(block, args);
    }
};

/// Operands of f64 that lie along rows.
std::string wrong_lines(test::gemm_case c) {
    static constexpr gemm_policy policy{
        .block_tile = {32, 32, 16}, .wave_tile = {16, 16}, .pipeline = block::pipeline_kind::async_ring};
    static constexpr auto kernels = with_policy(policy, only(operand_access::nn, operand_access::tt));
    return test::check_gemm<ampere, f64, f64, kernels>(c);
}

}  // namespace

int main() {
    for (const auto layout : {gemm_layout::nn, gemm_layout::tt})
        if (!failures) say(wrong_lines(test::case_of({layout, true, true}, {72, 40, 56}, 7)));
    for (const auto& c : test::policy_cases(tiles.block_tile, 5)) {
        if (!failures) say(test::wrong_entry<ampere, f16, tiles, ring_entry>(c));
        if (!failures) say(test::wrong_entry<ampere, f16, tiles, late_entry>(c));
    }
    return failures != 0;
}

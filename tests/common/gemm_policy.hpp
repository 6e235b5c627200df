// A product by a policy of the test's choice, whatever the table of policies prefers.
#pragma once
#include "common/gemm_check.hpp"
#include <cstring>

namespace fade::test {

/// The kernel for layout nt by a policy. Not for the host, which has a kernel of its own.
template <class In, gemm_policy Policy>
struct policy_entry {
    using arguments = kernel::gemm_arguments<In, In, epilogue::none>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = Policy.waves(), .shared_bytes = kernel::gemm_traits<Arch, In, Policy>::shared_bytes};
    }
    template <class Block>
    static void run(Block& block, const arguments& args) {
        kernel::gemm_body<Policy, tune::access_of(operand_access::nt)>(block, args);
    }
};

/// The small tiles of an architecture's table with another pipeline.
template <class Arch, class In>
constexpr gemm_policy piped(block::pipeline_kind kind) {
    gemm_policy p = tune::gemm_rows<Arch, In>::row.small;
    p.pipeline = kind;
    return p;
}

/// Depths of none, odd and even numbers of whole steps, behind a first step that is whole or not.
inline std::vector<gemm_case> policy_cases(const tile_shape& tile, std::uint64_t seed) {
    std::vector<gemm_case> out;
    for (const index k : {8, tile.k, tile.k + 8, 2 * tile.k, 3 * tile.k - 8, 4 * tile.k, 5 * tile.k}) {
        gemm_case c;
        constexpr index few = 64;  // rows or columns that have kernels of their own, whose arguments differ
        c.problem = {.m = few + tile.m + 9,
                     .n = few + (out.size() % 2 ? tile.n + 9 : tile.n - 3),
                     .k = k,
                     .layout = gemm_layout::nt};
        lay_out(c.problem, 0, 0);
        c.problem.ldd += 1, c.problem.stride_d = 0, c.seed = seed++, c.compute_units = 1 << 20;
        out.push_back(c);
    }
    return out;
}

/// What is wrong with a case by an entry for tiles of this policy: it is planned as usual, then launched with
/// the same arguments on those tiles.
template <class Arch, class In, gemm_policy Policy, class Entry>
std::string wrong_entry(const gemm_case& c) {
    gemm_data<In, In> data(c);
    auto device = device_of<Arch>(1, c.compute_units);
    const auto reference = expected(data);
    data.poison_output();
    const planned_launch plan =
        plan_gemm<In, In, only(operand_access::nt)>(device, c.problem, data.operands()).launches.at(0);
    alignas(typename Entry::arguments) std::byte memory[sizeof(typename Entry::arguments)];
    std::memcpy(memory, plan.kernarg.data(), sizeof memory);
    auto& args = reinterpret_cast<typename Entry::arguments&>(memory);
    args.tile_rows = int(ceil_div<index>(c.problem.m, Policy.block_tile.m)),
    args.tile_columns = int(ceil_div<index>(c.problem.n, Policy.block_tile.n));
    try {
        device.template launch<Entry>({args.tile_rows * args.tile_columns, 1, 1}, args);
    } catch (const error& e) {
        return e.what();
    }
    if (data.d.disturbed()) return "elements outside D were written";
    return difference(data.d, reference);
}

template <class Arch, class In, gemm_policy Policy>
std::string wrong_policy(const gemm_case& c) {
    return wrong_entry<Arch, In, Policy, policy_entry<In, Policy>>(c);
}

}  // namespace fade::test

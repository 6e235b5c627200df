// A product by a pipeline of the test's choice, whatever the table of policies prefers.
#pragma once
#include <cstring>
#include "common/gemm_check.hpp"

namespace fade::test {

/// The small kernel of an architecture's table with another pipeline; not for the host, which has a kernel of its own.
template <class In, block::pipeline_kind Kind>
struct piped_entry {
    using arguments = kernel::gemm_arguments<In, In, epilogue::none>;
    template <class Arch>
    static constexpr gemm_policy policy = [] {
        gemm_policy p = tune::gemm_rows<Arch, In>::row.small;
        p.pipeline = Kind;
        return p;
    }();
    template <class Arch>
    static constexpr launch_shape shape() { return {.waves = policy<Arch>.waves(), .shared_bytes = kernel::gemm_traits<Arch, In, policy<Arch>>::shared_bytes}; }
    template <class Block>
    static void run(Block& block, const arguments& args) {
        kernel::gemm_body<policy<typename Block::arch>, tune::access_of(gemm_reading::nt)>(block, args);
    }
};

/// Depths of none, odd and even numbers of whole steps, behind a first step that is whole or not.
template <class Arch, class In>
std::vector<gemm_case> pipeline_cases(std::uint64_t seed) {
    const auto tile = tune::gemm_rows<Arch, In>::row.small.block_tile;
    std::vector<gemm_case> out;
    for (const index k : {8, tile.k, tile.k + 8, 2 * tile.k, 3 * tile.k - 8, 4 * tile.k, 5 * tile.k}) {
        gemm_case c;
        c.problem = {.m = tile.m + 9, .n = tile.n - 3, .k = k, .layout = gemm_layout::nt};
        lay_out(c.problem, 0, 0);
        c.problem.ldd += 1, c.problem.stride_d = 0, c.seed = seed++, c.compute_units = 1 << 20;
        out.push_back(c);
    }
    return out;
}

/// What is wrong with a case by this pipeline: it is planned as usual, then launched with the same arguments.
template <class Arch, class In, block::pipeline_kind Kind>
std::string wrong_pipeline(const gemm_case& c) {
    using entry = piped_entry<In, Kind>;
    gemm_data<In, In> data(c);
    auto device = device_of<Arch>(1, c.compute_units);
    const auto reference = expected(data);
    data.poison_output();
    const planned_launch plan = plan_gemm<In, In, only(gemm_reading::nt)>(device, c.problem, data.operands()).launches.at(0);
    alignas(typename entry::arguments) std::byte memory[sizeof(typename entry::arguments)];
    std::memcpy(memory, plan.kernarg.data(), sizeof memory);
    try {
        device.template launch<entry>({plan.grid[0], plan.grid[1], plan.grid[2]}, reinterpret_cast<const typename entry::arguments&>(memory));
    } catch (const error& e) { return e.what(); }
    if (data.d.disturbed()) return "elements outside D were written";
    return difference(data.d, reference);
}

}  // namespace fade::test

// The cases that no chance may leave out: every reading and size class at the edges of its tiles.
#pragma once
#include "common/gemm_check.hpp"

namespace fade::test {

/// What decides which kernel runs.
struct kernel_choice {
    gemm_layout layout;
    bool large, aligned;
    int run = 8;  ///< elements whose multiples are aligned
};

/// The policy that a problem gets on an architecture.
template <class Arch, class In>
constexpr gemm_policy policy_of(const kernel_choice& c) {
    return tune::policy_for(tune::gemm_rows<Arch, In>::row,
                            c.large ? tune::size_class::large : tune::size_class::small,
                            c.aligned ? operand_access(int(c.layout)) : operand_access::strided);
}

/// Extents around tiles: one element, a whole tile, one off on either side, several tiles, and a last group
/// of rows that is not full.
struct extent {
    index m, n, k;
};

inline std::vector<extent> edges_of(const gemm_policy& policy) {
    const auto& t = policy.block_tile;
    const index d = t.k;
    const index m[] = {1, t.m, t.m + 1, t.m - 8, 2 * t.m + 3}, n[] = {1, t.n, t.n - 1, t.n + 8, t.n + 9};
    std::vector<extent> out;
    // Depths: a partial first step alone, and before odd and even numbers of whole ones.
    for (const index k :
         {index(1), index(8), d - 8, d, d + 1, d + 8, 2 * d, 2 * d + 8, 3 * d, 4 * d - 8, 4 * d + 1})
        out.push_back({m[out.size() % 5], n[out.size() % 5], k});
    out.push_back({(policy.swizzle_rows + 1) * t.m - 5, t.n + 1, d});
    return out;
}

inline gemm_case case_of(const kernel_choice& kernel, const extent& e, std::uint64_t seed) {
    const auto whole = [&](index size) {
        return kernel.aligned ? (size + kernel.run - 1) / kernel.run * kernel.run : size;
    };
    gemm_case c;
    c.problem = {.m = whole(e.m), .n = whole(e.n), .k = whole(e.k), .layout = kernel.layout};
    lay_out(c.problem, kernel.aligned ? kernel.run : 1, kernel.aligned ? 0 : 1);
    if (!kernel.aligned) c.shift_a = c.shift_b = c.shift_d = 1;
    c.compute_units = kernel.large ? 1 : 1 << 20;
    c.seed = seed;
    return c;
}

/// Is k shared by so many as were asked? Ones are lost in the sum of a large number, which ends with its
/// opposite; parts that have only one of the two keep the ones of the other.
template <class Arch, class T, gemm_kernels Kernels>
std::string wrong_share() {
    const index k = 512;
    gemm_case c =
        case_of({gemm_layout::nt, false, true}, {136, 72, k}, 1);  // so many that waves do not share k
    gemm_data<T, T> data(c);
    const auto fill = [&](auto& of, index rows, bool turns) {
        for (index row = 0; row < rows; ++row)
            for (index i = 0; i < k; ++i)
                of.at(0, row, i) = nearest<T>(i == 0 ? 32768 : i < k - 1 ? 1 : turns ? -32768 : 32768);
    };
    fill(data.a, 136, true), fill(data.b, 72, false);
    for (const int parts : {1, 2}) {
        auto device =
            device_of<Arch>(1, Arch::traits.tensor_maps ? 1 : 64);  // clusters of one unit share no k
        gemm<T, T, Kernels>(device, data.of.asked(), data.operands(), data.chain(), {.split_k = parts});
        const double got = value_of(data.d.at(0, 0, 0));
        if ((std::fabs(got) > 128) != (parts == 2))
            return "of " + std::to_string(parts) + " parts a sum is " + std::to_string(got);
    }
    return "";
}

}  // namespace fade::test

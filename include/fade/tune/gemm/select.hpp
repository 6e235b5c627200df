// The first selector: which kernel a problem gets, and why.
#pragma once
#include <cstdint>
#include <fade/arch/traits.hpp>
#include <fade/kernel/gemm/problem.hpp>
#include <fade/kernel/gemm/traits.hpp>
#include <fade/tune/gemm/rows.hpp>
#include <string>

namespace FADE_NAMESPACE {

/// How a kernel reads its operands: the four layouts in aligned 16-byte runs, or element by element with any
/// strides.
enum class operand_access { nn, nt, tn, tt, strided };

/// Its name in reports.
constexpr const char* name(operand_access r) {
    constexpr const char* names[] = {"nn", "nt", "tn", "tt", "strided"};
    return names[int(r)];
}

/// The kernels that a call is compiled with; fewer of them compile faster. A problem that needs another one
/// is an error. Their policies are those of the architecture's table, unless one is passed.
struct gemm_kernels {
    unsigned bits;               ///< one for each operand_access
    bool passes_policy = false;  ///< is `policy` the caller's?
    gemm_policy policy = {};     ///< the one that is passed
    /// Is the kernel of this access compiled?
    constexpr bool has(operand_access r) const { return bits >> int(r) & 1u; }
    /// Are all fields equal?
    constexpr bool operator==(const gemm_kernels&) const = default;
};
/// The kernels of every access.
inline constexpr gemm_kernels all_accesses{0b11111};
/// The kernels of these accesses alone.
template <class... R>
constexpr gemm_kernels only(R... r) {
    return gemm_kernels{(0u | ... | (1u << int(r)))};
}  // nvcc loses braces around a fold

/// Kernels by a policy of the caller's, for problems of every size: `gemm<f16, f16, with_policy({.block_tile
/// = {128, 128, 32}, .wave_tile = {64, 64}})>(device, ...)`. What an architecture cannot run does not compile
/// for it; the host takes none.
constexpr gemm_kernels with_policy(const gemm_policy& policy, gemm_kernels kernels = all_accesses) {
    kernels.passes_policy = true, kernels.policy = policy;
    return kernels;
}

namespace tune {

constexpr kernel::gemm_access access_of(operand_access r) {
    using enum block::memory_order;
    const bool ta = r == operand_access::tn || r == operand_access::tt,
               tb = r == operand_access::nt || r == operand_access::tt;
    if (r == operand_access::strided) return {strided, strided};
    return {ta ? row_contiguous : k_contiguous, tb ? k_contiguous : row_contiguous};
}

/// The policy of a reading: what cannot be copied as it lies passes through registers.
constexpr gemm_policy policy_for(const gemm_row& row, size_class size, operand_access access) {
    using enum block::pipeline_kind;
    const bool strided = access == operand_access::strided;
    if (size == size_class::skinny) return row.few_rows(access == operand_access::nn);
    if (strided && row.strided.block_tile.m > 0) return row.strided;
    const bool transposed = access != operand_access::nt && !row.ring_transposes;
    if (size == size_class::flat && (strided || transposed)) return {};
    gemm_policy p = row.of(size);
    if (p.pipeline == tma_ring && transposed && row.transposed(size).block_tile.m > 0)
        p = row.transposed(size);
    if ((p.pipeline == tma_ring || p.pipeline == async_ring) && (strided || transposed))
        p.pipeline = double_buffer;
    return p;
}

struct gemm_choice {
    operand_access access;
    size_class size;
    std::string why;
    bool fallback;
};

inline bool aligned_run(const void* p, index contiguous, index ld, index stride, int bytes) {
    return reinterpret_cast<std::uintptr_t>(p) % 16 == 0 && contiguous * bytes % 16 == 0 &&
           ld * bytes % 16 == 0 && stride * bytes % 16 == 0;
}

/// Why 16-byte reads are impossible for this problem; empty where they are possible.
inline std::string access_obstacle(const gemm_problem& p, const void* a, const void* b, int bytes) {
    if (p.k == 0) return "k is 0";
    if (!aligned_run(a, a_transposed(p.layout) ? p.m : p.k, p.lda, p.stride_a, bytes))
        return "rows of A are no whole number of aligned 16-byte runs";
    if (!aligned_run(b, b_transposed(p.layout) ? p.k : p.n, p.ldb, p.stride_b, bytes))
        return "rows of B are no whole number of aligned 16-byte runs";
    return "";
}

/// How many tiles of a policy D is cut into.
inline index tiles_of(const gemm_policy& policy, const gemm_problem& p) {
    return ceil_div<index>(p.m, policy.block_tile.m) * ceil_div<index>(p.n, policy.block_tile.n) * p.batch;
}

/// Do so many large tiles occupy at least three quarters of the compute units? They do the same work in fewer
/// bytes, which outweighs a quarter of idle units.
constexpr bool enough(index tiles, int compute_units) { return 4 * tiles >= 3 * compute_units; }

/// How many workgroups share the k of a tile: as asked, or (0) as many as idle compute units call for, each
/// with at least four steps.
inline int splits_for(const gemm_policy& policy, const gemm_problem& p, int asked, int compute_units) {
    const index steps = ceil_div<index>(p.k, policy.block_tile.k);
    const index wanted =
        asked > 0 ? asked : min_of<index>(compute_units / max_of<index>(tiles_of(policy, p), 1), steps / 4);
    const index per = ceil_div<index>(max_of<index>(steps, 1),
                                      max_of<index>(wanted, 1));  // no workgroup is left without a step
    return int(max_of<index>(ceil_div<index>(steps, per), 1));
}

/// In how many parts of k large tiles are worth it, where the call leaves that to the selector (`asked` is
/// 0): parts so deep that what they store and read again weighs little.
inline int deep_parts(const gemm_policy& large, const gemm_problem& p, int asked, int compute_units) {
    constexpr index deep = 64;  // steps
    if (asked != 0) return 1;
    const int parts = splits_for(large, p, 0, compute_units);
    return ceil_div<index>(p.k, large.block_tile.k) >= deep * parts ? parts : 1;
}

/// "256 large tiles occupy 256 of 304 compute units, which is enough"
inline std::string occupancy_words(index tiles, int parts, int compute_units) {
    const index all = tiles * parts;
    return std::to_string(tiles) + (tiles == 1 ? " large tile" : " large tiles") +
           (parts > 1 ? ", k in " + std::to_string(parts) + " parts," : "") +
           (tiles == 1 ? " occupies " : " occupy ") + std::to_string(min_of<index>(all, compute_units)) +
           " of " + std::to_string(compute_units) + " compute units, which is " +
           (enough(all, compute_units) ? "enough" : "less than three quarters");
}

/// Can a kernel of few rows read operands so? A lies along k.
constexpr bool reads_few_rows(operand_access access) {
    return access == operand_access::nt || access == operand_access::nn;
}
/// Are there so few rows that B is read once or twice where waves share k, and k enough for all of them?
inline bool is_skinny(const gemm_policy& skinny, const gemm_problem& p) {
    return skinny.block_tile.m > 0 && p.m <= 2 * skinny.block_tile.m && 2 * p.k >= skinny.block_tile.k;
}
/// "8 rows are at most 32: B streams past them through 128 workgroups, whose waves share k"
inline std::string skinny_words(const gemm_policy& skinny, const gemm_problem& p) {
    return std::to_string(p.m) + (p.m == 1 ? " row is" : " rows are") + " at most " +
           std::to_string(2 * skinny.block_tile.m) + ": B streams past " + (p.m == 1 ? "it" : "them") +
           " through " + std::to_string(tiles_of(skinny, p)) + " workgroups, whose waves share k";
}

/// In how many parts of k one tile has all rows of D and fills three quarters of the compute units; 0 where
/// that cannot be.
inline int parts_of_flat(const gemm_policy& flat, const gemm_problem& p, int asked, int compute_units) {
    if (flat.block_tile.m == 0 || p.m > flat.block_tile.m) return 0;
    const int parts = splits_for(flat, p, asked, compute_units);
    return enough(tiles_of(flat, p) * parts, compute_units) ? parts : 0;
}
/// "64 rows are at most 64: B streams past them through 128 workgroups, of which 2 share a tile's k"
inline std::string flat_words(const gemm_policy& flat, const gemm_problem& p, int parts) {
    return std::to_string(p.m) + " rows are at most " + std::to_string(flat.block_tile.m) +
           ": B streams past them through " + std::to_string(tiles_of(flat, p) * parts) + " workgroups" +
           (parts > 1 ? ", of which " + std::to_string(parts) + " share a tile's k" : "");
}

/// Chooses by problem, alignment, the number of compute units, and the parts of k that were asked for (0: as
/// many as idle units call for).
inline gemm_choice select_gemm(const gemm_row& row, const gemm_problem& p, const void* a, const void* b,
                               int bytes, int compute_units, int split_k = 1) {
    const std::string obstacle = access_obstacle(p, a, b, bytes);
    if (!obstacle.empty())
        return {operand_access::strided, size_class::small, obstacle + ", so elements are read one by one",
                p.k != 0};
    const auto access = operand_access(int(p.layout));
    const gemm_policy few = policy_for(row, size_class::skinny, access),
                      flat = policy_for(row, size_class::flat, access);
    const bool skinny = reads_few_rows(access) && is_skinny(few, p);
    if (const int parts = parts_of_flat(flat, p, split_k, compute_units);
        parts > 0 && !(skinny && p.m <= few.block_tile.m))
        return {access, size_class::flat, "operands are read in 16-byte runs; " + flat_words(flat, p, parts),
                false};
    if (skinny)
        return {access, size_class::skinny, "operands are read in 16-byte runs; " + skinny_words(few, p),
                false};
    const gemm_policy large = policy_for(row, size_class::large, access);
    const index tiles = tiles_of(large, p);
    const int parts = deep_parts(large, p, split_k, compute_units);
    return {access, enough(tiles * parts, compute_units) ? size_class::large : size_class::small,
            "operands are read in 16-byte runs; " + occupancy_words(tiles, parts, compute_units), false};
}

/// By a policy of the caller's, whatever the size of the problem. A pipeline that cannot copy this reading
/// gives way to one that can, which is a fallback.
inline gemm_choice select_passed(const gemm_row& row, const gemm_problem& p, const void* a, const void* b,
                                 int bytes) {
    const std::string obstacle = access_obstacle(p, a, b, bytes);
    gemm_choice out{obstacle.empty() ? operand_access(int(p.layout)) : operand_access::strided,
                    size_class::large,
                    "the caller passed the policy; " + (obstacle.empty()
                                                            ? "operands are read in 16-byte runs"
                                                            : obstacle + ", so elements are read one by one"),
                    !obstacle.empty() && p.k != 0};
    const auto pipeline = policy_for(row, out.size, out.access).pipeline;
    if (pipeline != row.large.pipeline)
        out.why += std::string("; ") + block::name(row.large.pipeline) + " cannot copy such operands, so " +
                   block::name(pipeline) + " does",
            out.fallback = out.fallback || p.k != 0;
    return out;
}

/// The host reads any strides; its one kernel is told how much of D each workgroup makes.
inline gemm_choice select_host_gemm(int threads) {
    return {operand_access::strided, size_class::large,
            "any strides are read; D is cut into even shares for " + std::to_string(threads) +
                (threads == 1 ? " thread" : " threads"),
            false};
}

}  // namespace tune
}  // namespace FADE_NAMESPACE

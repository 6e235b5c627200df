// The first selector: which kernel a problem gets, and why.
#pragma once
#include <fade/arch/traits.hpp>
#include <fade/core/lists.hpp>
#include <fade/kernel/gemm/problem.hpp>
#include <fade/kernel/gemm/traits.hpp>
#include <fade/tune/gemm/expected.hpp>
#include <fade/tune/gemm/rows.hpp>
#include <fade/tune/gemm/runs.hpp>
#include <fade/tune/gemm/times.hpp>
#include <string>
#include <utility>
#include <vector>

namespace FADE_NAMESPACE {

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

/// Does A, or B, lie along k?
constexpr bool a_along_k(operand_access r) { return r == operand_access::nn || r == operand_access::nt; }
constexpr bool b_along_k(operand_access r) { return r == operand_access::nt || r == operand_access::tt; }
constexpr operand_access with_a_along_k(operand_access r) {
    return b_along_k(r) ? operand_access::nt : operand_access::nn;
}
constexpr operand_access with_b_along_k(operand_access r) {
    return a_along_k(r) ? operand_access::nt : operand_access::tt;
}

/// The same product as D^T = B^T A^T: its operands, and how it is cut.
constexpr operand_access transposed(operand_access r) {
    using enum operand_access;
    return r == nn ? tt : r == tt ? nn : r;
}
constexpr gemm_policy transposed(gemm_policy p) {
    std::swap(p.block_tile.m, p.block_tile.n), std::swap(p.wave_tile.m, p.wave_tile.n);
    return p;
}

/// The policy of a reading: what cannot be copied as it lies passes through registers.
constexpr gemm_policy policy_for(const gemm_row& row, size_class size, operand_access access) {
    using enum block::pipeline_kind;
    const bool strided = access == operand_access::strided;
    if (size == size_class::skinny) return row.skinny[std::size_t(access)];
    if (size == size_class::skinny_columns) return transposed(row.skinny[std::size_t(transposed(access))]);
    if (strided && row.strided.block_tile.m > 0) return row.strided;
    const bool not_copied = access != operand_access::nt && !row.ring_transposes;
    const bool by_boxes = size >= size_class::flat;
    if (by_boxes && (strided || not_copied)) return {};
    if (size == size_class::medium && strided) return {};
    gemm_policy p = row.of(size);
    if (p.pipeline == tma_ring && not_copied && row.transposed(size).block_tile.m > 0)
        p = row.transposed(size);
    if ((p.pipeline == tma_ring || p.pipeline == async_ring) && (strided || not_copied))
        p.pipeline = double_buffer, p.cluster_k = 1, p.schedule = gemm_schedule::tiles;
    return p;
}

struct gemm_choice {
    operand_access access = operand_access::strided;
    size_class size = size_class::small;
    std::string why{};
    bool fallback = false;
    bool by_times = false;     ///< does it rest on times of one device, an H200?
    bool shares_tail = false;  ///< do clusters share the last tiles?
    int parts = 0;             ///< of k, where times decided that; else 0
};

/// Is A, or B, whole aligned runs of 16 bytes, read so? The leading dimension of a single run does not
/// matter.
inline bool runs_of_a(const gemm_problem& p, const void* a, run_rule rule, operand_access read) {
    const bool along_k = a_along_k(read);
    return aligned_run(a, along_k ? p.k : p.m, along_k && p.m == 1 ? 0 : p.lda, p.stride_a, rule);
}
inline bool runs_of_b(const gemm_problem& p, const void* b, run_rule rule, operand_access read) {
    const bool along_k = b_along_k(read);
    return aligned_run(b, along_k ? p.k : p.n, along_k && p.n == 1 ? 0 : p.ldb, p.stride_b, rule);
}

/// Are there so few rows (or columns) that what streams past them is read once or twice where waves share k,
/// and k enough for all of them?
inline bool is_skinny(const gemm_policy& few, const gemm_problem& p, bool columns = false) {
    return few.block_tile.m > 0 && (columns ? p.n <= 2 * few.block_tile.n : p.m <= 2 * few.block_tile.m) &&
           2 * p.k >= few.block_tile.k;
}
/// "8 rows are at most 32: B streams past them through 128 workgroups, whose waves share k"
inline std::string skinny_words(const gemm_policy& few, const gemm_problem& p, bool columns = false) {
    const index count = columns ? p.n : p.m, max = 2 * (columns ? few.block_tile.n : few.block_tile.m);
    return std::to_string(count) + (columns ? " column" : " row") + (count == 1 ? " is" : "s are") +
           " at most " + std::to_string(max) + ": " + (columns ? "A" : "B") + " streams past " +
           (count == 1 ? "it" : "them") + " through " + std::to_string(tiles_of(few, p)) +
           " workgroups, whose waves share k";
}

/// A kernel of few rows (or columns) that can read operands so; without `why` there is none. The few are read
/// element by element where they do not lie along k, so nothing of them need be aligned.
inline gemm_choice select_few(const gemm_row& row, size_class few, const gemm_problem& p, const void* a,
                              const void* b, run_rule rule, operand_access access) {
    const bool columns = few == size_class::skinny_columns,
               along_k = columns ? b_along_k(access) : a_along_k(access);
    gemm_choice out{access, few, "", false};
    const gemm_policy policy = policy_for(row, few, access);
    if (!is_skinny(policy, p, columns)) return out;
    if ((along_k || columns) && !runs_of_a(p, a, rule, access)) return out;
    if ((along_k || !columns) && !runs_of_b(p, b, rule, access)) return out;
    out.why = std::string(along_k   ? "operands are read in 16-byte runs; "
                          : columns ? "A is read in 16-byte runs, B element by element; "
                                    : "B is read in 16-byte runs, A element by element; ") +
              skinny_words(policy, p, columns);
    return out;
}

/// The same of few rows, or else of few columns. A vector lies along k, however its layout is called, if that
/// kernel is compiled.
inline gemm_choice select_few(const gemm_row& row, const gemm_problem& p, const void* a, const void* b,
                              run_rule rule, gemm_kernels kernels) {
    const auto access = operand_access(int(p.layout));
    gemm_choice out;
    if (!kernels.has(access)) return out;
    for (const size_class few : {size_class::skinny, size_class::skinny_columns}) {
        const bool columns = few == size_class::skinny_columns,
                   vector = columns ? p.n == 1 && p.ldb == 1 : p.m == 1 && p.lda == 1;
        const operand_access along = columns ? with_b_along_k(access) : with_a_along_k(access);
        if (vector && kernels.has(along)) out = select_few(row, few, p, a, b, rule, along);
        if (out.why.empty()) out = select_few(row, few, p, a, b, rule, access);
        if (!out.why.empty()) break;
    }
    return out;
}

/// How many workgroups share the k of a tile that has all rows of D: as asked, or (0) as end first, and none
/// where tiles alone keep memory busy; 0 where there is no such tile.
inline int parts_of_flat(const gemm_policy& flat, const gemm_problem& p, int asked, int compute_units) {
    if (flat.block_tile.m == 0 || p.m > flat.block_tile.m) return 0;
    if (has_timed_parts(flat, p, asked, compute_units))
        return timed_tiles_of(size_class::flat, flat, p, 0, compute_units, false).parts;
    const bool whole = asked == 0 && busy(tiles_of(flat, p), compute_units);  // else as idle units call for
    return splits_for(flat, p, whole ? 1 : asked, compute_units);
}
/// Is B so large that a ring's beginning and its end weigh little beside it?
inline bool is_long(const gemm_policy& flat, const gemm_problem& p, int compute_units) {
    return tiles_of(flat, p) * ceil_div<index>(p.k, flat.block_tile.k) >= 32 * compute_units;
}
/// "64 rows are at most 64: B streams past them through 128 workgroups, of which 2 share a tile's k"
inline std::string flat_words(const gemm_policy& flat, const gemm_problem& p, int parts) {
    return std::to_string(p.m) + (p.m == 1 ? " row is" : " rows are") + " at most " +
           std::to_string(flat.block_tile.m) + ": B streams past " + (p.m == 1 ? "it" : "them") +
           " through " + std::to_string(tiles_of(flat, p) * parts) + " workgroups" +
           (parts > 1 ? ", of which " + std::to_string(parts) + " share a tile's k" : "");
}

/// Steps of k that each workgroup of a cluster needs, so that adding up weighs less than what it spares: sums
/// of larger tiles take longer to reach each other (bench/experiments.md).
constexpr index steps_of_cluster(size_class size) {
    return size == size_class::flat_clustered || size == size_class::deep ? 16 : 32;
}
/// The same where the workgroups of all clusters are so many. Of small tiles that leave half of the units
/// idle fewer steps are worth it.
constexpr index steps_of_cluster(size_class size, index workgroups, int compute_units) {
    return size == size_class::flat_clustered && 2 * workgroups <= compute_units ? 6 : steps_of_cluster(size);
}

/// A kernel whose clusters share k, where tiles leave so many compute units idle that all of a cluster find
/// room at once; without `why` there is none. What the caller asks to share goes through memory.
inline gemm_choice select_clustered(const gemm_row& row, size_class size, const gemm_problem& p, int split_k,
                                    int compute_units) {
    const auto access = operand_access(int(p.layout));
    gemm_choice out{access, size, "", false};
    const gemm_policy policy = policy_for(row, size, access);
    if (policy.block_tile.m == 0 || split_k > 1) return out;
    const index tiles = tiles_of(policy, p), ranks = policy.cluster_k;
    const index steps = steps_of_cluster(size, tiles * ranks, compute_units);
    if (tiles * ranks > block::units_for_clusters(compute_units, policy.cluster_k) ||
        p.k < ranks * steps * policy.block_tile.k)
        return out;
    out.why = "operands are read in 16-byte runs; " + std::to_string(tiles) +
              (tiles == 1 ? " tile leaves" : " tiles leave") + " most of " + std::to_string(compute_units) +
              " compute units idle, so clusters of " + std::to_string(ranks) +
              " workgroups share the k of each";
    return out;
}

/// A kernel of few rows by boxes; without `why` there is none, or `few`, whose waves share k, is faster.
inline gemm_choice select_flat(const gemm_row& row, const gemm_problem& p, int split_k, int compute_units,
                               const gemm_choice& few) {
    const auto access = operand_access(int(p.layout));
    gemm_choice out{access, size_class::flat, "", false};
    const gemm_policy flat = policy_for(row, size_class::flat, access);
    const int parts = parts_of_flat(flat, p, split_k, compute_units);
    if (parts == 0) return out;
    const auto together = select_clustered(row, size_class::flat_clustered, p, split_k, compute_units);
    if (!few.why.empty()) {
        if (few.size == size_class::skinny_columns) return out;
        if (const gemm_policy policy = policy_for(row, together.size, access);
            !together.why.empty() && enough(tiles_of(policy, p) * policy.cluster_k, compute_units))
            return together;
        const bool once = a_along_k(few.access) && p.m <= policy_for(row, few.size, few.access).block_tile.m;
        const bool fills = busy(tiles_of(flat, p) * parts, compute_units) && is_long(flat, p, compute_units);
        if (once && !fills) return out;
    }
    if (!together.why.empty()) return together;
    out.by_times = has_timed_parts(flat, p, split_k, compute_units);
    out.why = "operands are read in 16-byte runs; " + flat_words(flat, p, parts);
    return out;
}

/// A kernel of few columns by boxes, which bring no others; without `why` there is none, or `few`, whose
/// waves share k, is as fast. Where B lies along n its boxes have 64 columns, as the tiles of clusters have.
inline gemm_choice select_flat_columns(const gemm_row& row, const gemm_problem& p, int split_k,
                                       int compute_units, const gemm_choice& few) {
    const auto access = operand_access(int(p.layout));
    gemm_choice out{access, size_class::flat_clustered, "", false};
    const gemm_policy flat = policy_for(row, size_class::flat, access),
                      half = policy_for(row, size_class::flat_clustered, access);
    if (flat.block_tile.m == 0 || half.block_tile.m == 0 || split_k > 1 || p.n > half.block_tile.n)
        return out;
    const int few_columns = policy_for(row, few.size, few.access).block_tile.n / 2;
    // Lines of A are turned in registers, which takes longer than boxes of any number of columns.
    const bool stay = !b_along_k(access) ? p.n <= few_columns : a_along_k(access) && p.n < few_columns;
    if (!few.why.empty() && (few.size != size_class::skinny_columns || stay)) return out;
    if (const auto together = select_clustered(row, out.size, p, split_k, compute_units);
        !together.why.empty() && enough(tiles_of(half, p) * half.cluster_k, compute_units))
        return together;
    const bool deep = p.k >= half.cluster_k * steps_of_cluster(out.size) * half.block_tile.k;
    if (!busy(tiles_of(flat, p), compute_units) || (!b_along_k(access) && !deep)) return out;
    if (b_along_k(access)) out.size = size_class::flat;
    out.why = "operands are read in 16-byte runs; " + std::to_string(p.n) +
              (p.n == 1 ? " column is" : " columns are") + " at most " + std::to_string(half.block_tile.n) +
              ": A streams past " + (p.n == 1 ? "it" : "them") + " through " +
              std::to_string(tiles_of(flat, p)) + " tiles";
    return out;
}

/// The tiles of few rows where small ones, which have twice the rows, leave a quarter of a device idle or
/// more, and these all find room at once; without `why` it is not so.
inline gemm_choice select_halves(const gemm_row& row, const gemm_problem& p, int compute_units) {
    const auto access = operand_access(int(p.layout));
    gemm_choice out{access, size_class::flat, "", false};
    const gemm_policy flat = policy_for(row, size_class::flat, access),
                      small = policy_for(row, size_class::small, access);
    if (flat.block_tile.m == 0 || enough(tiles_of(small, p), compute_units) ||
        tiles_of(flat, p) > compute_units)
        return out;
    out.why = "operands are read in 16-byte runs; " + std::to_string(tiles_of(small, p)) +
              " small tiles leave a quarter of " + std::to_string(compute_units) +
              " compute units idle or more, which " + std::to_string(tiles_of(flat, p)) +
              " tiles of half the rows do not overfill";
    return out;
}

/// The tiles by boxes that are expected to end first, where a row's were timed; without `why` they were not.
inline gemm_choice select_timed(const gemm_row& row, const gemm_problem& p, int split_k, int compute_units,
                                bool tails = true) {
    using enum size_class;
    const auto access = operand_access(int(p.layout));
    gemm_choice out{access, large, "", false};
    if (tiles_of(policy_for(row, large, access), p) == 0 || !times_of(policy_for(row, large, access)))
        return out;
    std::vector<expected_tiles> all;
    for (const size_class size :
         {large, medium, quad, flat_quad, tall, small, flat, tiny, clustered, flat_clustered, deep})
        if (const gemm_policy policy = policy_for(row, size, access);
            times_of(policy) && room_for_clusters(policy, compute_units) > 0 &&
            (policy.cluster_k == 1 || rounds_of_tiles(policy, p, compute_units) == 1) &&
            (size != clustered || (split_k != 0 && p.k > clustered_beyond_k)))
            all.push_back(timed_tiles_of(size, policy, p, split_k, compute_units, tails));
    if (all.size() < 2) return out;
    sort_few(all, ends_before);
    out.size = all[0].size, out.parts = all[0].parts, out.shares_tail = all[0].shares_tail,
    out.by_times = true;
    out.why = "operands are read in 16-byte runs; tiles of " + rounds_words(all[0], p, compute_units) +
              " are expected to take " + us_words(all[0].cost) + ", those of " +
              rounds_words(all[1], p, compute_units) + " " + us_words(all[1].cost);
    return out;
}

/// Chooses by problem, alignment, the number of compute units, the parts of k that were asked for (0: as many
/// as idle units call for), and the kernels that are there. Where machine code was read that `model` names,
/// tiles are those that are expected to end first. Clusters share the last ones where the call may (`tails`).
inline gemm_choice select_gemm(const gemm_row& row, const gemm_problem& p, const void* a, const void* b,
                               run_rule rule, int compute_units, int split_k = 1,
                               gemm_kernels kernels = all_accesses, const tile_model& model = {},
                               bool tails = true) {
    const auto access = operand_access(int(p.layout));
    const std::string obstacle = access_obstacle(p, a, b, rule);
    const gemm_choice few = select_few(row, p, a, b, rule, kernels);
    if (obstacle.empty()) {
        if (const auto flat = select_flat(row, p, split_k, compute_units, few); !flat.why.empty())
            return flat;
        if (const auto flat = select_flat_columns(row, p, split_k, compute_units, few); !flat.why.empty())
            return flat;
    }
    if (!few.why.empty()) return few;
    if (!obstacle.empty())
        return {operand_access::strided, size_class::small, obstacle + ", so elements are read one by one",
                p.k != 0};
    if (const auto all = expected_of(row, p, access, split_k, compute_units, model); !all.empty()) {
        const expected_tiles& best = best_of(all);
        return {access, best.size,
                "operands are read in 16-byte runs; " + expected_words(all, best, p, compute_units), false};
    }
    if (split_k <= 1)
        if (const auto timed = select_timed(row, p, split_k, compute_units, tails); !timed.why.empty())
            return timed;
    const gemm_policy large = policy_for(row, size_class::large, access);
    const index tiles = tiles_of(large, p);
    const int parts = deep_parts(large, p, split_k, compute_units);
    const bool filled = enough(tiles * parts, compute_units);
    const index small = tiles_of(policy_for(row, size_class::small, access), p);
    if (!filled && split_k <= 1 && large.pipeline == block::pipeline_kind::tma_ring && small > compute_units)
        return {access, size_class::large,
                "operands are read in 16-byte runs; " + std::to_string(tiles) +
                    " large tiles are one round of " + std::to_string(compute_units) + " compute units, " +
                    std::to_string(small) + " small ones more",
                false};
    if (!filled) {
        for (const size_class size : {size_class::deep, size_class::flat_clustered})
            if (const auto together = select_clustered(row, size, p, split_k, compute_units);
                !together.why.empty())
                return together;
        if (const auto halves = select_halves(row, p, compute_units); !halves.why.empty()) return halves;
    }
    const bool between = row.medium.block_tile.m > 0 && enough(tiles_of(row.medium, p), compute_units);
    return {access,
            filled    ? size_class::large
            : between ? size_class::medium
                      : size_class::small,
            "operands are read in 16-byte runs; " + occupancy_words(tiles, parts, compute_units), false};
}

/// By a policy of the caller's, whatever the size of the problem. A pipeline that cannot copy this reading
/// gives way to one that can, of whole tiles, which is a fallback.
inline gemm_choice select_passed(const gemm_row& row, const gemm_problem& p, const void* a, const void* b,
                                 run_rule rule) {
    const std::string obstacle = access_obstacle(p, a, b, rule);
    gemm_choice out{obstacle.empty() ? operand_access(int(p.layout)) : operand_access::strided,
                    size_class::large,
                    "the caller passed the policy; " + (obstacle.empty()
                                                            ? "operands are read in 16-byte runs"
                                                            : obstacle + ", so elements are read one by one"),
                    !obstacle.empty() && p.k != 0};
    const gemm_policy used = policy_for(row, out.size, out.access);
    if (used.pipeline != row.large.pipeline)
        out.why +=
            std::string("; ") + block::name(row.large.pipeline) + " cannot copy such operands, so " +
            block::name(used.pipeline) + " does" +
            (used.schedule == row.large.schedule ? ""
                                                 : std::string(", whose schedule is ") + name(used.schedule) +
                                                       " instead of " + name(row.large.schedule)),
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

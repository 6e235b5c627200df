// The gradients of a norm as something a device can launch, where one reading of the rows gives all.
#pragma once
#include <fade/core/launch.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/rows/norm_gradient_parts.hpp>
#include <fade/tune/rows/column_entry.hpp>
#include <fade/tune/rows/select.hpp>

namespace FADE_NAMESPACE::tune {

/// The workgroup's shared memory beside that of sums: rows ahead, and weights.
constexpr int norm_gradient_bytes(const row_policy& p, int wave_size) {
    return block::row_shared_bytes(p, wave_size) + block::held_column_bytes(p, wave_size);
}

/// Two runs of each operand leave registers for two sums of each of their columns. `wide`: as many as 512
/// lanes hold of four where a workgroup has most registers of its unit to itself, and shared memory has the
/// weights. On NVIDIA GPUs the next row comes there meanwhile.
constexpr row_policy norm_gradient_policy(row_kind kind, const arch::arch_traits& t, int bytes,
                                          bool whole_runs = true) {
    if (kind == row_kind::wide) {
        row_policy p = row_policy_of(row_kind::lanes_512, t.wave_size, 2, bytes, whole_runs);
        p.runs = t.vgprs_per_simd > 256 ? 4 : 3, p.waves_per_simd = t.wave_size == 64 ? 2 : 4;
        if (t.family == arch::family::nvidia && whole_runs) p.ahead = 2;
        while (norm_gradient_bytes(p, t.wave_size) > t.lds_per_workgroup) --p.runs;
        return p;
    }
    row_policy p = row_policy_of(kind, t.wave_size, 2, bytes, whole_runs);
    p.runs = 2, p.waves_per_simd = t.wave_size == 64 ? 2 : bytes == 4 ? 8 : p.shared_row ? 6 : 5;
    if (t.family == arch::family::nvidia && bytes == 4 && whole_runs)
        p.ahead = 2;  // bf16 is faster without (H200: 10 %), and so are rows that begin anywhere (15 to 28 %)
    return p;
}

/// Are there kernels for rows that begin anywhere? A workgroup takes rows that begin at the same byte of 16,
/// so that its lanes keep their columns; waves that have a row each would not.
constexpr bool sums_rows_anywhere(row_kind kind, const arch::arch_traits& t) {
    return t.family == arch::family::nvidia && kind != row_kind::wave;
}
/// Of rows that begin anywhere shorter ones are left to waves (H200: f32 of 251 columns loses a third).
constexpr int least_columns_anywhere = 500;
/// The first kind whose registers hold a row beside its sums; `streamed` where none does.
constexpr row_kind choose_norm_gradient_kind(index columns, bool whole_runs, const arch::arch_traits& t,
                                             int bytes) {
    const index needed = columns + (whole_runs ? 0 : 16 / bytes - 1);
    if (!whole_runs && columns < least_columns_anywhere) return row_kind::streamed;
    for (row_kind k :
         {row_kind::wave, row_kind::lanes_128, row_kind::lanes_256, row_kind::lanes_512, row_kind::wide})
        if ((whole_runs || sums_rows_anywhere(k, t)) &&
            needed <= norm_gradient_policy(k, t, bytes, whole_runs).columns(t.wave_size))
            return k;
    return row_kind::streamed;
}

template <class Operator, row_kind Kind, bool WholeRuns>
struct norm_gradient_entry {
    using arguments = kernel::norm_gradient_arguments<Operator>;
    template <class Arch>
    static constexpr bool is_there = WholeRuns || sums_rows_anywhere(Kind, Arch::traits);
    template <class Arch>
    static constexpr row_policy policy =
        norm_gradient_policy(Kind, Arch::traits, Operator::element_bytes, WholeRuns);
    template <class Arch>
    static constexpr launch_shape shape() {
        if (!is_there<Arch>) return {.waves = 1, .shared_bytes = 16};
        constexpr row_policy p = policy<Arch>;
        return {.waves = p.waves,
                .shared_bytes = max_of(
                    norm_gradient_bytes(p, Arch::traits.wave_size),
                    block::column_sum_bytes(p, Arch::traits.wave_size, sizeof(kernel::norm_gradients))),
                .waves_per_simd = p.waves_per_simd};
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        if constexpr (is_there<typename Block::arch>)
            kernel::norm_gradient_body<policy<typename Block::arch>>(block, args);
    }
};

/// The policy of rows whose columns two workgroups split: each has a half of a `wide` row, and all of the
/// next one and of the weights in shared memory.
constexpr row_policy split_norm_gradient_policy(const arch::arch_traits& t, int bytes) {
    row_policy p = norm_gradient_policy(row_kind::wide, t, bytes);
    p.ahead = block::split_ahead;
    return p;
}
template <class Operator>
constexpr int split_norm_gradient_bytes(const arch::arch_traits& t) {
    const row_policy p = split_norm_gradient_policy(t, Operator::element_bytes);
    return block::row_shared_bytes(p, t.wave_size) +
           2 * p.columns(t.wave_size) * int(sizeof(*Operator::weight.data));
}
/// How many columns such rows may have; 0 where there are none such.
template <class Operator>
constexpr int max_split_columns(const arch::arch_traits& t) {
    const bool same = sizeof(*Operator::h.data) == sizeof(*Operator::dy.data);
    if (t.family != arch::family::nvidia || !same ||
        split_norm_gradient_bytes<Operator>(t) > t.lds_per_workgroup)
        return 0;
    return 2 * split_norm_gradient_policy(t, Operator::element_bytes).columns(t.wave_size);
}

template <class Operator>
struct split_norm_gradient_entry {
    using arguments = kernel::norm_gradient_arguments<Operator>;
    template <class Arch>
    static constexpr bool is_there = max_split_columns<Operator>(Arch::traits) > 0;
    template <class Arch>
    static constexpr row_policy policy = split_norm_gradient_policy(Arch::traits, Operator::element_bytes);
    template <class Arch>
    static constexpr launch_shape shape() {
        if (!is_there<Arch>) return {.waves = 1, .shared_bytes = 16};
        return {.waves = policy<Arch>.waves,
                .shared_bytes = split_norm_gradient_bytes<Operator>(Arch::traits),
                .waves_per_simd = policy<Arch>.waves_per_simd};
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        if constexpr (is_there<typename Block::arch>)
            kernel::split_norm_gradient_body<policy<typename Block::arch>>(block, args);
    }
};

/// Are there kernels for longer rows, whose columns workgroups share after their sums are known?
constexpr bool has_norm_parts(const arch::arch_traits& t) { return t.family == arch::family::nvidia; }
/// Workgroups for a row of so many columns, of which one has up to `max_columns`: at most twice as many as
/// need be, so that `units` of a GPU are all busy where groups of them come in multiples of `multiple`.
constexpr int norm_parts(index columns, int max_columns, int units, int multiple) {
    const int fewest = int(ceil_div<index>(columns, max_columns));
    const auto busy = [&](int parts) { return units / parts / multiple * multiple * parts; };
    int best = fewest;
    for (int parts = fewest + 1; parts <= 2 * fewest; ++parts)
        if (busy(parts) > busy(best)) best = parts;
    return best;
}
/// The policy of such parts: where they begin takes registers of a fourth run.
constexpr row_policy norm_part_policy(const arch::arch_traits& t, int bytes, bool whole_runs) {
    row_policy p = norm_gradient_policy(row_kind::wide, t, bytes, whole_runs);
    p.runs = min_of(p.runs, 3);
    return p;
}

template <class Operator, bool WholeRuns>
struct norm_sums_entry {
    using arguments = kernel::norm_sums_arguments<Operator>;
    template <class Arch>
    static constexpr row_policy policy =
        row_policy_for<Operator>(row_kind::streamed, WholeRuns, Arch::traits);
    template <class Arch>
    static constexpr launch_shape shape() {
        if (!has_norm_parts(Arch::traits)) return {.waves = 1, .shared_bytes = 16};
        return {.waves = policy<Arch>.waves,
                .shared_bytes = block::row_shared_bytes(policy<Arch>, Arch::traits.wave_size),
                .waves_per_simd = policy<Arch>.waves_per_simd};
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        if constexpr (has_norm_parts(Block::arch::traits))
            kernel::norm_sums_body<policy<typename Block::arch>>(block, args);
    }
};

template <class Operator, bool WholeRuns>
struct norm_part_entry {
    using arguments = kernel::norm_part_arguments<Operator>;
    template <class Arch>
    static constexpr row_policy policy = norm_part_policy(Arch::traits, Operator::element_bytes, WholeRuns);
    template <class Arch>
    static constexpr launch_shape shape() {
        if (!has_norm_parts(Arch::traits)) return {.waves = 1, .shared_bytes = 16};
        return {.waves = policy<Arch>.waves,
                .shared_bytes = norm_gradient_bytes(policy<Arch>, Arch::traits.wave_size),
                .waves_per_simd = policy<Arch>.waves_per_simd};
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        if constexpr (has_norm_parts(Block::arch::traits))
            kernel::norm_part_body<policy<typename Block::arch>>(block, args);
    }
};

template <class Sums, bool WholeRuns>
struct finish_norm_gradient_entry {
    using arguments = kernel::finish_norm_gradient_arguments<Sums>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return finish_columns_entry<Sums>::template shape<Arch>();
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::finish_norm_gradient_body<WholeRuns>(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune

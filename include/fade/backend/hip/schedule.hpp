// Tells the compiler in which order a stretch of a kernel issues its memory instructions among its matrix
// products.
#pragma once
#include <fade/core/instruction_mix.hpp>
#include <fade/core/shape.hpp>
#include <utility>

namespace FADE_NAMESPACE::backend::hip {

/// Instructions of one class, as the scheduling groups of the compiler name it.
struct schedule_group {
    int kind, count;
};
inline constexpr int move_class = 0x2, scalar_class = 0x4, product_class = 0x8, load_class = 0x20,
                     read_class = 0x100, write_class = 0x200, exponential_class = 0x400;

/// The memory instructions of each mix in turn: its reads, its writes (each behind its share of the moves),
/// its loads. Products stand behind them one by one as long as there are any: what is read soonest is there
/// soonest. Where moves are many, products stand among them, too.
template <int Products, instruction_mix... Mix>
struct schedule_plan {
    static constexpr int memory = (0 + ... + Mix.memory()), scalars = (0 + ... + Mix.scalars),
                         vectors = (0 + ... + Mix.vectors), row = (0 + ... + Mix.row),
                         row_reads = (0 + ... + Mix.row_reads);
    static constexpr bool among_moves = (false || ... || Mix.shared_moves);
    // Where a product stands between many, moves of two waves on a SIMD take as long as it, and loads do not.
    static constexpr int moves = among_moves ? (0 + ... + Mix.moves) : 0,
                         of_move = memory + moves > 4 * Products ? 2 : 1, places = memory + of_move * moves,
                         max_groups = 5 * places + 3 * Products + 1;
    schedule_group group[max_groups] = {};
    int count = 0, issued = 0, begun = 0;

    constexpr schedule_plan() { (add_mix(Mix), ...); }

private:
    constexpr void add_mix(const instruction_mix& m) {
        for (int i = 0; i < m.reads; ++i) add_memory(read_class, 0);
        for (int i = 0; i < m.writes; ++i) add_memory(write_class, m.moves_before(i));
        for (int i = 0; i < m.loads; ++i) add_memory(load_class, 0);
    }
    constexpr void add_memory(int kind, int moves) {
        for (int i = 0; among_moves && i < moves; i += 2) {
            add(move_class, 2);
            add_products(2 * of_move);
        }
        if (!among_moves) add(move_class, moves);
        add(kind, 1);
        add_products(1);
    }
    /// Behind `places_taken` more.
    constexpr void add_products(int places_taken) {
        constexpr int beside = vectors > 0 ? Products : min_of(Products, places);
        const int now = issued + places_taken;
        constexpr int early = row > 0 ? places - 1 : 0;
        const int products = (now * beside + early) / places - (issued * beside + early) / places;
        for (int i = 0; vectors > 0 && i < products; ++i, ++begun) {
            add(product_class, 1);
            add(scalar_class, (begun + 1) * scalars / beside - begun * scalars / beside);
            add(move_class, (begun + 1) * vectors / beside - begun * vectors / beside);
        }
        if (vectors == 0) {
            for (int i = 0; row > 0 && i < products; ++i, ++begun) {
                add(product_class, 1);
                if ((begun + 1) % row == 0) add(read_class, row_reads);
            }
            if (row == 0) add(product_class, products);
            add(scalar_class, now * scalars / places - issued * scalars / places);
        }
        issued = now;
    }
    constexpr void add(int kind, int n) {
        if (n <= 0) return;
        if (among_moves && count > 0 && kind == move_class && group[count - 1].kind == kind)
            group[count - 1].count += n;
        else
            group[count++] = {kind, n};
    }
};

template <class Plan, int... I>
__device__ inline __attribute__((always_inline)) void follow(std::integer_sequence<int, I...>) {
    constexpr Plan plan;
    (__builtin_amdgcn_sched_group_barrier(plan.group[I].kind, plan.group[I].count, 0), ...);
}

/// Applies to all instructions since the last call of it; none moves across.
template <int Products, instruction_mix... Mix>
__device__ inline __attribute__((always_inline)) void schedule() {
    using plan = schedule_plan<Products, Mix...>;
    follow<plan>(std::make_integer_sequence<int, plan().count>());
    __builtin_amdgcn_sched_barrier(0);
}

/// Applies to all instructions since the last call of it; none moves across. Exponentials stand first: they
/// take as long as several others, in which another wave's instructions find their places. Then reads, for
/// which the next products wait, and last what packs two numbers, which cannot begin beside a product.
template <int Products, vector_mix Mix>
__device__ inline __attribute__((always_inline)) void spread() {
    if constexpr (Products > 0) {
        __builtin_amdgcn_sched_group_barrier(product_class, 1, 0);
        __builtin_amdgcn_sched_group_barrier(exponential_class, Mix.exponentials, 0);
        __builtin_amdgcn_sched_group_barrier(read_class, Mix.reads, 0);
        __builtin_amdgcn_sched_group_barrier(move_class, Mix.others, 0);
        spread<Products - 1, Mix>();
    } else
        __builtin_amdgcn_sched_barrier(0);
}

}  // namespace FADE_NAMESPACE::backend::hip

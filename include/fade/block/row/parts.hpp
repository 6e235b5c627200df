// What workgroups have found of columns, added up by one launch.
#pragma once
#include <fade/block/lane_groups.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/shape.hpp>

namespace FADE_NAMESPACE::block {

/// Columns of one workgroup that adds up parts. A CPU's has one.
constexpr int columns_of_parts(int threads) { return threads == 1 ? 1 : 16; }

/// Calls done(column, op over found(0 .. parts - 1, column)) for the columns of a workgroup. Groups of lanes
/// take parts in turn, eight of them under way, and what groups have is combined in their order. Wants
/// shared_values<Block, Value>::bytes of shared memory.
template <class Value, class Block, class Found, class Op, class Done>
FADE_FN void add_parts_of(Block& block, Found found, int parts, int columns, Op op, Done done) {
    constexpr int width = columns_of_parts(Block::threads), groups = Block::threads / width,
                  ahead = Block::threads == 1 ? 1 : 8;
    const int first = block.id_x() * width;
    const auto part = [&](int lane, int group) FADE_LAMBDA {
        Value all{};
        if (first + lane >= columns || group >= parts) return all;
        all = found(group, first + lane);
        int at = group + groups;
        FADE_ROLLED
        for (; at + (ahead - 1) * groups < parts; at += ahead * groups) {
            Value some[ahead];
            FADE_UNROLL
            for (int i = 0; i < ahead; ++i) some[i] = found(at + i * groups, first + lane);
            FADE_UNROLL
            for (int i = 0; i < ahead; ++i) all = op(all, some[i]);
        }
        if constexpr (ahead > 1) {  // the last ones too: one behind the other they took as long as all others
            Value some[ahead];
            FADE_UNROLL
            for (int i = 0; i < ahead; ++i)
                if (at + i * groups < parts) some[i] = found(at + i * groups, first + lane);
            FADE_UNROLL
            for (int i = 0; i < ahead; ++i)
                if (at + i * groups < parts) all = op(all, some[i]);
        }
        return all;
    };
    fold_groups(block, {width, min_of(groups, parts)}, part, op, [&](int lane, const Value& all) FADE_LAMBDA {
        if (first + lane < columns) done(first + lane, all);
    });
}
/// The same where `found` is [parts, columns].
template <class Block, class Value, class Op, class Done>
FADE_FN void add_parts(Block& block, const Value* found, int parts, int columns, Op op, Done done) {
    add_parts_of<Value>(
        block, [&](int part, int column) FADE_LAMBDA { return found[index(part) * columns + column]; }, parts,
        columns, op, done);
}

}  // namespace FADE_NAMESPACE::block

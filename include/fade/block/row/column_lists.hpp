// The largest elements of columns: a lane reads one column, a row after the other, and keeps a list in order.
#pragma once
#include <fade/core/call/row_tensor.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/lane_coord.hpp>
#include <fade/core/number/ordered.hpp>
#include <fade/core/shape.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::block {

/// Columns of one workgroup: of a CPU's, those of a few cache lines.
constexpr int columns_of_lists(int threads) { return threads == 1 ? 64 : threads; }

/// Shared memory for lists of so many elements.
constexpr int column_list_bytes(int threads, int capacity) {
    return columns_of_lists(threads) * capacity * int(sizeof(placed_number));
}

/// Lists of `k` elements, at most Capacity, of the columns of a workgroup from `first_column` on. They lie in
/// shared memory, where each lane uses its own.
template <class Block, int Capacity>
class column_lists {
    static constexpr int width = columns_of_lists(Block::threads), each = width / Block::threads;
    static constexpr int ahead = Block::threads == 1 ? 1 : 8;
    using words = vec<std::uint32_t, 2>;
    struct bounds {
        std::uint32_t key[each];  ///< of the last of a list: what is no larger is none of it
    };

public:
    FADE_FN column_lists(Block& block, int first_column, int columns, int k)
        : block_(block), first_column_(first_column), columns_(columns), k_(k) {
        block.each_lane([&](lane_coord p) FADE_LAMBDA {
            for (int c = 0; c < each; ++c) {
                last_[p].key[c] = 0;
                for (int i = 0; i < k; ++i) put(p, c, i, placed_number::nothing());
            }
        });
    }

    /// Adds rows from `begin` to before `end`, all of which come behind those that were added.
    template <class T>
    FADE_FN void add_rows(const row_tensor<const T>& x, index begin, index end) {
        const index stride = x.stride < 0 ? columns_ : x.stride;
        block_.each_lane([&](lane_coord p) FADE_LAMBDA {
            const T* const from = x.data + column(p, 0);
            const int count = min_of(each, columns_ - column(p, 0));
            if (count <= 0) return;
            index r = begin;
            FADE_ROLLED
            for (; r + ahead <= end; r += ahead) {
                vec<T, ahead> some;
                if constexpr (each == 1) {
                    FADE_UNROLL
                    for (int i = 0; i < ahead; ++i) some[i] = from[(r + i) * stride];
                    FADE_UNROLL
                    for (int i = 0; i < ahead; ++i)
                        add(p, 0, placed_number::of(convert<float>(some[i]), int(r) + i));
                } else {
                    add_row(p, from + r * stride, count, int(r));
                }
            }
            FADE_ROLLED
            for (; r < end; ++r) add_row(p, from + r * stride, count, int(r));
        });
    }
    /// Adds a list of [k, columns] that has rows behind those that were added.
    FADE_FN void add_list(const placed_number* list) {
        block_.each_lane([&](lane_coord p) FADE_LAMBDA {
            for (int c = 0; c < each && column(p, c) < columns_; ++c)
                for (int i = 0; i < k_; ++i) {
                    const placed_number x = list[index(i) * columns_ + column(p, c)];
                    if (x.key <= last_[p].key[c]) break;
                    add(p, c, x);
                }
        });
    }
    /// Calls done(i, column, placed number) for each list in its order.
    template <class Done>
    FADE_FN void each_found(Done done) const {
        block_.each_lane([&](lane_coord p) FADE_LAMBDA {
            for (int i = 0; i < k_; ++i)
                for (int c = 0; c < each && column(p, c) < columns_; ++c)
                    done(i, column(p, c), take(p, c, i));
        });
    }

private:
    FADE_FN int lane_of(lane_coord p) const { return p.wave * Block::wave_size + p.lane; }
    FADE_FN int column(lane_coord p, int c) const { return first_column_ + lane_of(p) * each + c; }
    FADE_FN std::uint32_t address(lane_coord p, int c, int i) const {
        return std::uint32_t((i * width + lane_of(p) * each + c) * int(sizeof(placed_number)));
    }
    FADE_FN void put(lane_coord p, int c, int i, const placed_number& x) {
        block_.store_shared(p, address(p, c, i), words{x.key, std::uint32_t(x.place)});
    }
    FADE_FN placed_number take(lane_coord p, int c, int i) const {
        const auto x = block_.template load_shared<words>(p, address(p, c, i));
        return {x[0], int(x[1])};
    }
    template <class T>
    FADE_FN void add_row(lane_coord p, const T* row, int count, int r) {
        std::uint32_t key[each];
        bool any = false;  // as a rule there is none: compilers make vectors of this
        for (int c = 0; c < count; ++c) {
            key[c] = placed_number::of(convert<float>(row[c]), r).key;
            any |= key[c] > last_[p].key[c];
        }
        if (!any) return;
        for (int c = 0; c < count; ++c) add(p, c, {key[c], r});
    }
    /// Of equal elements the first was there before.
    FADE_FN void add(lane_coord p, int c, const placed_number& x) {
        if (x.key <= last_[p].key[c]) return;
        int at = k_ - 1;
        FADE_ROLLED
        for (; at > 0; --at) {
            const placed_number before = take(p, c, at - 1);
            if (x.key <= before.key) break;
            put(p, c, at, before);
        }
        put(p, c, at, x);
        last_[p].key[c] = take(p, c, k_ - 1).key;
    }

    Block& block_;
    int first_column_, columns_, k_;
    per_lane<Block, bounds> last_;
};

}  // namespace FADE_NAMESPACE::block

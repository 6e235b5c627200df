// A row of a tensor as lanes see it: runs of neighbouring elements, in registers or read again by each pass.
#pragma once
#include <cstdint>
#include <fade/backend/buffer.hpp>
#include <fade/block/row/policy.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/place.hpp>
#include <fade/core/shape.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::block {

/// Which columns lanes have: `shift` elements before column 0 the address is a multiple of 16 bytes.
template <class Block, row_policy P>
struct row_columns {
    static constexpr int lanes = (P.shared_row ? Block::waves : 1) * Block::wave_size;
    static constexpr int held = P.shared_row ? Block::held : Block::wave_held;
    static constexpr int step = lanes * P.run * P.runs;
    int count, shift;

    FADE_FN static int lane_of(place p) { return P.shared_row ? p.wave * Block::wave_size + p.lane : p.lane; }
    /// Where an object that holds several lanes keeps this one.
    FADE_FN static int slot_of(place p) { return held == 1 ? 0 : P.shared_row ? p.slot : p.lane; }
    /// The first column of a run; below 0 where the row begins inside it.
    FADE_FN int first(place p, int begin, int run) const {
        return begin + (run * lanes + lane_of(p)) * P.run - (P.whole_runs ? 0 : shift);
    }
    FADE_FN bool holds(int column) const { return unsigned(column) < unsigned(count); }
    FADE_FN bool whole(int first) const { return P.whole_runs || (first >= 0 && first + P.run <= count); }
};

/// The runs that a lane moves one behind the other.
template <class T, row_policy P>
struct lane_runs {
    vec<T, P.run> run[P.runs];
};

/// A row in memory. `there` is false for a tensor that is left out.
template <class Block, row_policy P, class T>
class row_memory {
    using element = std::remove_const_t<T>;
    using columns = row_columns<Block, P>;
    static constexpr int size = int(sizeof(T));
    static constexpr bool cpu = Block::wave_size == 1;
    static constexpr int piece = cpu || P.run * size <= 16 ? P.run : 16 / size;  // elements of one access

public:
    FADE_FN row_memory(Block& block, T* data, index stride, index row, index rows, int count, int shift)
        : memory_(block.global(data + row * stride, data, data + ((rows - 1) * stride + count))),
          there_(data != nullptr),
          aligned_(P.whole_runs ||
                   (reinterpret_cast<std::uintptr_t>(data + row * stride) - std::uintptr_t(shift * size)) %
                           std::uintptr_t(cpu ? size : piece * size) ==
                       0) {}

    FADE_FN vec<element, P.run> load(const columns& c, int first, element otherwise) const {
        vec<element, P.run> out;
        if (!there_) {
            FADE_UNROLL
            for (int e = 0; e < P.run; ++e) out[e] = otherwise;
        } else if (aligned_ && first < c.count && c.whole(first)) {
            load_whole(out, first);
        } else {
            FADE_UNROLL
            for (int e = 0; e < P.run; ++e)
                out[e] = memory_.template load<vec<element, 1>>(byte_if(c, first + e))[0];
        }
        return out;
    }
    FADE_FN void store(const columns& c, int first, const vec<element, P.run>& v) const {
        if (aligned_ && c.whole(first)) {
            store_whole(v, first);
        } else {
            FADE_UNROLL
            for (int e = 0; e < P.run; ++e) memory_.store(byte_if(c, first + e), vec<element, 1>{v[e]});
        }
    }

private:
    FADE_FN static std::uint32_t byte(int column) { return std::uint32_t(column) * std::uint32_t(size); }
    /// What is no column of the row is dropped by the access itself, which costs no branch.
    FADE_FN static std::uint32_t byte_if(const columns& c, int column) {
        return c.holds(column) ? byte(column) : backend::outside;
    }
    FADE_FN void load_whole(vec<element, P.run>& out, int first) const {
        FADE_UNROLL
        for (int i = 0; i < P.run; i += piece) {
            const auto part = memory_.template load<vec<element, piece>>(byte(first + i));
            FADE_UNROLL
            for (int e = 0; e < piece; ++e) out[i + e] = part[e];
        }
    }
    FADE_FN void store_whole(const vec<element, P.run>& v, int first) const {
        FADE_UNROLL
        for (int i = 0; i < P.run; i += piece) {
            vec<element, piece> part;
            FADE_UNROLL
            for (int e = 0; e < piece; ++e) part[e] = v[i + e];
            memory_.store(byte(first + i), part);
        }
    }

    typename Block::buffer memory_;
    bool there_, aligned_;
};

/// A row that passes read: from registers where the policy keeps it there, else from memory at each pass. It
/// is one tensor, or the sum of two as T holds it.
template <class Block, row_policy P, class T>
class row_operand {
    using columns = row_columns<Block, P>;
    using runs = lane_runs<T, P>;
    using memory = row_memory<Block, P, const T>;

public:
    FADE_FN row_operand(const memory& from, T otherwise)
        : from_(from), addend_(from), otherwise_(otherwise) {}
    FADE_FN row_operand(const memory& from, const memory& addend)
        : from_(from), addend_(addend), otherwise_(convert<T>(0.0f)), adds_(true) {}

    /// Brings the runs of a lane into registers.
    FADE_FN void keep(const columns& c, place p) {
        if constexpr (P.resident) kept_[columns::slot_of(p)] = loaded(c, p, 0);
    }
    /// The runs of a lane from column `begin` of the step on.
    FADE_FN runs of(const columns& c, place p, int begin) const {
        if constexpr (P.resident)
            return kept_[columns::slot_of(p)];
        else
            return loaded(c, p, begin);
    }

private:
    FADE_FN runs loaded(const columns& c, place p, int begin) const {
        runs out;
        FADE_UNROLL
        for (int i = 0; i < P.runs; ++i) out.run[i] = from_.load(c, c.first(p, begin, i), otherwise_);
        if (adds_) {
            FADE_UNROLL
            for (int i = 0; i < P.runs; ++i)
                add(out.run[i], addend_.load(c, c.first(p, begin, i), otherwise_));
        }
        return out;
    }
    FADE_FN static void add(vec<T, P.run>& to, const vec<T, P.run>& x) {
        FADE_UNROLL
        for (int e = 0; e < P.run; ++e) to[e] = convert<T>(convert<float>(to[e]) + convert<float>(x[e]));
    }

    memory from_, addend_;
    T otherwise_;
    bool adds_ = false;
    runs kept_[P.resident ? columns::held : 1];
};

}  // namespace FADE_NAMESPACE::block

// A row of a tensor that passes read, from registers or again from memory.
#pragma once
#include <fade/block/row/memory.hpp>

namespace FADE_NAMESPACE::block {

/// A row that passes read: from registers where the policy keeps it there, else from memory at each pass. It
/// is one tensor, or the sum of two as T holds it.
/// Of a row that is read again, shared memory may hold the first steps (`stage`): each lane has its own runs
/// there, so none waits for others.
/// One that is `Late` comes from memory at each pass, whatever the policy says: the weights of all rows,
/// which caches hold.
template <class Block, row_policy P, class T, bool Late = false>
class row_operand {
    using columns = row_columns<Block, P>;
    static constexpr bool kept = P.resident && !Late;
    /// Pieces of runs that are no 16 bytes would take more registers than streamed rows have.
    static constexpr bool joins =
        Late && !P.resident && P.shared_row && joins_runs<Block, P, Late> && P.run * int(sizeof(T)) == 16;
    struct late_runs {};

public:
    using memory = row_memory<Block, P, const T, joins || joins_runs<Block, P>>;
    using element = T;
    using held = row_run<Block, P, T>;

private:
    struct kept_runs {
        typename held::type run[P.runs];
    };

public:
    FADE_FN row_operand(const memory& from, T otherwise)
        : from_(from), addend_(from), otherwise_(otherwise) {}
    FADE_FN row_operand(const memory& from, const memory& addend)
        : from_(from), addend_(addend), otherwise_(convert<T>(0.0f)), adds_(true) {}

    /// Brings the runs of a lane into registers.
    FADE_FN void keep(const columns& c, lane_coord p) {
        if constexpr (kept) kept_[columns::slot_of(p)] = loaded(c, p, 0);
    }
    /// The same of runs that were copied to shared memory, one behind the other from at(0) on.
    template <class At>
    FADE_FN void keep_copied(Block& block, lane_coord p, At at) {
        static_assert(kept);
        FADE_UNROLL
        for (int i = 0; i < P.runs; ++i)
            kept_[columns::slot_of(p)].run[i] = from_.load_copied(block, p, at(i), otherwise_);
    }
    /// Brings the first steps to shared memory, from byte `base` on; who calls it waits for them.
    FADE_FN void stage(Block& block, const columns& c, lane_coord p, std::uint32_t base) {
        block_ = &block, base_ = base;
        FADE_ROLLED
        for (int begin = 0; begin < staged_columns && begin < c.count + c.shift; begin += columns::step) {
            FADE_UNROLL
            for (int i = 0; i < P.runs; ++i)
                from_.stage(block, p, c, c.first(p, begin, i), staged_at(p, begin, i), otherwise_);
        }
    }
    /// Does shared memory hold all of the row?
    FADE_FN bool is_staged(const columns& c) const {
        return staged_columns > 0 && block_ && c.count + c.shift <= staged_columns;
    }
    /// What a lane takes in hand before it asks for the runs of the step at column `begin`: all of them, but
    /// for what is late.
    FADE_FN auto step_of(const columns& c, lane_coord p, int begin) const {
        if constexpr (kept)
            return kept_[columns::slot_of(p)];
        else if constexpr (P.resident)
            return late_runs{};
        else if (staged_columns > 0 && block_ && begin < staged_columns)
            return staged_runs(c, p, begin);
        else
            return loaded(c, p, begin);
    }
    template <class Step>
    FADE_FN typename held::numbers run_of(const Step& step, const columns& c, lane_coord p, int begin,
                                          int i) const {
        if constexpr (std::is_same_v<Step, late_runs>)
            return held::unpacked(from_.load(c, c.first(p, begin, i), otherwise_));
        else
            return held::unpacked(step.run[i]);
    }

    /// One element of a tensor that is there and alone, from memory.
    FADE_FN T one(int column) const { return from_.load_one(column); }

private:
    FADE_FN kept_runs loaded(const columns& c, lane_coord p, int begin) const {
        kept_runs out;
        if constexpr (joins) {
            from_.load_joined(out.run, c, p, begin, otherwise_);
            return out;
        }
        from_.load_all(out.run, c, p, begin, otherwise_);
        if (adds_) {
            FADE_UNROLL
            for (int i = 0; i < P.runs; ++i) {
                const auto addend = addend_.load(c, c.first(p, begin, i), otherwise_);
                out.run[i] = sum_of(held::unpacked(out.run[i]), held::unpacked(addend));
            }
        }
        return out;
    }
    FADE_FN static typename held::type sum_of(const typename held::numbers& a,
                                              const typename held::numbers& b) {
        return held::packed(rounded_run<Block, T, P.run>([&](int e) FADE_LAMBDA { return a[e] + b[e]; }));
    }

    static constexpr int staged_columns =
        Late || !async_workgroup<Block> ? 0 : P.staged / (columns::lanes * P.runs * 16) * columns::step;
    FADE_FN std::uint32_t staged_at(lane_coord p, int begin, int i) const {
        return base_ + std::uint32_t((begin / P.run + i * columns::lanes + columns::lane_of(p)) * 16);
    }
    FADE_FN kept_runs staged_runs(const columns& c, lane_coord p, int begin) const {
        kept_runs out;
        FADE_UNROLL
        for (int i = 0; i < P.runs; ++i)  // runs behind the row were not brought
            out.run[i] = c.first(p, begin, i) < c.count
                             ? block_->template load_shared<typename held::type>(p, staged_at(p, begin, i))
                             : typename held::type{};
        return out;
    }

    memory from_, addend_;
    T otherwise_;
    bool adds_ = false;
    Block* block_ = nullptr;  // of what is staged, from byte base_ on
    std::uint32_t base_ = 0;
    kept_runs kept_[kept ? columns::held : 1];
};

}  // namespace FADE_NAMESPACE::block

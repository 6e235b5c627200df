// Rows as a CPU reads them: runs of elements, of which compilers make vectors.
#pragma once
#include <cstring>
#include <fade/atom/cpu/vector.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/shape.hpp>
#include <fade/core/vec.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::block {

/// `count` of the N elements of a run. Elements may lie at any address, and results where operands do: what
/// is computed lies in between.
template <class T, int N>
FADE_FN void copy_run(void* to, const void* from, int count) {
    if (count == N)
        std::memcpy(to, from, sizeof(T) * N);
    else
        std::memcpy(to, from, sizeof(T) * std::size_t(count));
}
/// The same loaded, with zeros behind them: a pass computes whole runs, and drops what is behind the row.
template <class T, int N>
FADE_FN vec<T, N> loaded_run(const T* from, int count) {
    vec<T, N> out;
    if (count < N) std::memset(static_cast<void*>(&out), 0, sizeof out);
    copy_run<T, N>(&out, from, count);
    return out;
}

/// The run itself, or where it is not whole the same with zeros behind it.
template <class T, int N>
FADE_FN const T* run_of(const T* from, int count, vec<T, N>& spare) {
    if (count == N) return from;
    spare = loaded_run<T, N>(from, count);
    return spare.e;
}

/// Asks for N elements that are read soon.
template <class T, int N>
FADE_FN void prefetch_run(const T* from) {
    constexpr int line = 64 / int(sizeof(T));
    for (int e = 0; e < N; e += line) __builtin_prefetch(from + e);
}

/// How far ahead a pass asks that waits for memory.
template <class T>
inline constexpr int soon = 4096 / int(sizeof(T));

/// What a pass knows of an operand: whole runs are read where they lie.
template <class T, int N>
struct cpu_cursor {
    using element = T;
    const T* from;
    int mask;        ///< of places: 0 where one run stands for all
    const T* ahead;  ///< the row that is read next; null: none is
    FADE_FN const T* run(int first, int count, vec<T, N>& spare) const {
        const T* const here = from + (first & mask);
        return mask ? run_of<T, N>(here, count, spare) : here;
    }
    /// Asks for the same run of the next row.
    FADE_FN void ask(int first) const {
        if (ahead) prefetch_run<T, N>(ahead + first);
    }
    /// Asks for a run some kilobytes further on, where the next row is likely to begin if this one ends.
    FADE_FN void ask_soon(int first) const {
        if (ahead) prefetch_run<T, N>(from + soon<T> + first);
    }
};

/// A row that passes read, or one element that stands for all where the tensor is left out.
template <class T, int N>
class cpu_operand {
public:
    /// `ahead`: elements to the row that is read next; 0: none is.
    FADE_FN cpu_operand(const T* row, T otherwise, index ahead) : row_(row), ahead_(row ? ahead : 0) {
        if (!row)
            for (int e = 0; e < N; ++e) instead_[e] = otherwise;
    }
    using element = T;
    using cursor = cpu_cursor<T, N>;
    FADE_FN cursor begin() const {
        return {row_ ? row_ : instead_.e, row_ ? -1 : 0, ahead_ ? row_ + ahead_ : nullptr};
    }
    /// Where all elements lie; null: nowhere.
    FADE_FN const T* row() const { return row_; }
    /// Where a run can be read: in the row, or in `spare` where the row ends before the run.
    FADE_FN const T* run(int first, int count, vec<T, N>& spare) const {
        if (!row_) return instead_.e;
        return run_of<T, N>(row_ + first, count, spare);
    }

private:
    const T* row_;
    index ahead_;
    vec<T, N> instead_;
};

/// The sum of two rows, rounded to their type, by vectors of VectorBytes bytes. Null: nothing is added.
template <class T, int N, int VectorBytes>
class cpu_sum {
    using lanes = atom::lanes_of<float, VectorBytes>;

public:
    FADE_FN cpu_sum(const T* row, const T* addend, index ahead, index addend_ahead)
        : row_(row), addend_(addend), ahead_(ahead), addend_ahead_(addend ? addend_ahead : 0) {}
    using element = T;
    using cursor = cpu_sum;
    FADE_FN cursor begin() const { return *this; }
    FADE_FN const T* row() const { return addend_ ? nullptr : row_; }
    FADE_FN void ask(int first) const {
        if (ahead_) prefetch_run<T, N>(row_ + ahead_ + first);
        if (addend_ahead_) prefetch_run<T, N>(addend_ + addend_ahead_ + first);
    }
    FADE_FN void ask_soon(int first) const {
        if (ahead_) prefetch_run<T, N>(row_ + soon<T> + first);
        if (addend_ahead_) prefetch_run<T, N>(addend_ + soon<T> + first);
    }
    FADE_FN const T* run(int first, int count, vec<T, N>& spare) const {
        if (!addend_) return run_of<T, N>(row_ + first, count, spare);
        const vec<T, N> one = loaded_run<T, N>(row_ + first, count),
                        other = loaded_run<T, N>(addend_ + first, count);
        for (int e = 0; e < N; e += lanes::count) {
            typename lanes::vector a, b;
            lanes::load(a, &one[e]), lanes::load(b, &other[e]);
            lanes::store(&spare[e], a + b);
        }
        return spare.e;
    }

private:
    const T *row_, *addend_;
    index ahead_, addend_ahead_;
};

/// A run of an operand, read where it lies.
template <class Operand, int N>
class cpu_run {
public:
    using element = typename Operand::element;
    FADE_FN cpu_run(const Operand& x, int first, int count = N) : data_(x.run(first, count, spare_)) {}
    FADE_FN cpu_run(const typename Operand::cursor& x, int first, int count = N)
        requires(!std::is_same_v<Operand, typename Operand::cursor>)
        : data_(x.run(first, count, spare_)) {}
    cpu_run(const cpu_run&) = delete;
    FADE_FN const element* data() const { return data_; }
    /// The same in memory of its own, which nothing that is written is in.
    FADE_FN vec<element, N> loaded() const { return loaded_run<element, N>(data_, N); }

private:
    vec<element, N> spare_;
    const element* data_;
};

}  // namespace FADE_NAMESPACE::block

// A row of a tensor in memory, as lanes see it: runs of neighbouring elements.
#pragma once
#include <cstdint>
#include <fade/arch/traits.hpp>
#include <fade/backend/buffer.hpp>
#include <fade/block/row/policy.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/lane_coord.hpp>
#include <fade/core/number/any_nan.hpp>
#include <fade/core/shape.hpp>
#include <fade/core/vec.hpp>
#include <fade/core/workgroup.hpp>

namespace FADE_NAMESPACE::block {

/// Which columns lanes have: `shift` elements before column 0 the address is a multiple of 16 bytes. Where
/// rows share a wave, `lanes` neighbours have one.
template <class Block, row_policy P>
struct row_columns {
    static constexpr int lanes = (P.shared_row ? Block::waves : 1) * Block::wave_size / P.rows_of_wave;
    static constexpr int held = P.shared_row ? Block::held : Block::wave_held;
    static constexpr int step = lanes * P.run * P.runs;
    int count, shift;

    FADE_FN static int lane_of(lane_coord p) {
        return P.shared_row          ? p.wave * Block::wave_size + p.lane
               : P.rows_of_wave == 1 ? p.lane
                                     : p.lane % lanes;
    }
    /// Which of the rows of its wave a lane has.
    FADE_FN static int part_of(lane_coord p) { return P.rows_of_wave == 1 ? 0 : p.lane / lanes; }
    /// Where an object that holds several lanes keeps this one.
    FADE_FN static int slot_of(lane_coord p) { return held == 1 ? 0 : P.shared_row ? p.slot : p.lane; }
    /// The first column of a run; below 0 where the row begins inside it.
    FADE_FN int first(lane_coord p, int begin, int run) const {
        return begin + (run * lanes + lane_of(p)) * P.run - (P.whole_runs ? 0 : shift);
    }
    FADE_FN bool holds(int column) const { return unsigned(column) < unsigned(count); }
    /// The same of a column of a run that begins inside the row.
    FADE_FN bool holds_of_run(int column) const { return P.whole_runs || holds(column); }
    FADE_FN bool whole(int first) const { return P.whole_runs || (first >= 0 && first + P.run <= count); }
};

/// Number `i` of a word of two 16-bit elements, by one instruction: an element that stood alone first would
/// take two or three.
template <class Block, class T>
FADE_FN float number_of_word(std::uint32_t word, int i) {
    if constexpr (std::is_same_v<T, bf16>)
        return __builtin_bit_cast(float, i == 0 ? word << 16 : word & 0xffff0000u);
    else
        return Block::widen_halves(word)[i];
}

/// A run as passes read it: numbers, which a lane may hold as words of two.
template <class Block, class T, int Run, class Words>
class run_numbers {
public:
    using element = T;
    static constexpr bool packs = !std::is_same_v<Words, vec<T, Run>>;
    FADE_FN explicit run_numbers(const Words& x) : words(x) {}
    FADE_FN float operator[](int e) const {
        if constexpr (packs)
            return number_of_word<Block, T>(words[e / 2], e % 2);
        else
            return convert<float>(words[e]);
    }
    FADE_FN bool any_nan() const { return fade::any_nan(__builtin_bit_cast(vec<T, Run>, words)); }

    Words words;  ///< as a lane holds the run
};

/// f(element) of a run as T holds it: by pairs where the machine rounds two numbers at once.
template <class Block, class T, int Run, class F>
FADE_FN vec<T, Run> rounded_run(F f) {
    vec<T, Run> out;
    if constexpr (requires { Block::template round_pair<T>(0.0f, 0.0f); } && sizeof(T) == 2 && Run > 1) {
        FADE_UNROLL
        for (int e = 0; e < Run; e += 2) {
            const auto two = Block::template round_pair<T>(f(e), f(e + 1));
            out[e] = two[0], out[e + 1] = two[1];
        }
    } else {
        FADE_UNROLL
        for (int e = 0; e < Run; ++e) out[e] = convert<T>(f(e));
    }
    return out;
}

/// How a lane holds a run: 16-bit elements as words of two, so that no register holds one alone, and that
/// what waits for a run is what uses it.
template <class Block, row_policy P, class T>
struct row_run {
    static constexpr bool packs = Block::wave_size > 1 && sizeof(T) == 2 && P.run % 2 == 0;
    static constexpr int words = packs ? P.run / 2 : 1;
    using type = std::conditional_t<packs, vec<std::uint32_t, words>, vec<T, P.run>>;
    using numbers = run_numbers<Block, T, P.run, type>;

    FADE_FN static type packed(const vec<T, P.run>& x) { return __builtin_bit_cast(type, x); }
    /// What a pass makes of a word is made again by the next, for whom registers would else keep it.
    FADE_FN static numbers unpacked(type x) {
        if constexpr (packs && requires(std::uint32_t& w) { Block::opaque(w); }) {
            FADE_UNROLL
            for (int w = 0; w < words; ++w) Block::opaque(x[w]);
        }
        return numbers(x);
    }
    /// Word by word, without a branch.
    FADE_FN static type chosen(bool first, const type& a, const type& b) {
        type out;
        FADE_UNROLL
        for (int i = 0; i < type::size; ++i) out[i] = first ? a[i] : b[i];
        return out;
    }
};

/// NVIDIA GPUs would be slow to take the ends of rows, and columns of rows that begin anywhere, by elements.
/// Rows that each pass reads again would gain little, and sums and places lose (H200), but for what they all
/// share, which begins elsewhere than they do.
template <class Block, row_policy P, bool Late = false>
inline constexpr bool joins_runs = Block::arch::traits.family == arch::family::nvidia && !P.whole_runs &&
                                   (P.resident || !P.shared_row || Late);

/// A row in memory. `there` is false for a tensor that is left out.
template <class Block, row_policy P, class T, bool Joins = joins_runs<Block, P>>
class row_memory {
    using element = std::remove_const_t<T>;
    using columns = row_columns<Block, P>;
    using held = row_run<Block, P, element>;
    using run_type = typename held::type;
    using memory_type = typename Block::buffer;
    static constexpr int size = int(sizeof(T));
    static constexpr int piece = P.run * size <= 16 ? P.run : 16 / size;  // elements of one access

public:
    static constexpr bool joins = Joins;

    FADE_FN row_memory(Block& block, T* data, index stride, index row, index rows, int count, int shift)
        : memory_(block.global(data + row * stride - (joins ? shift : 0), data,
                               data + ((rows - 1) * stride + count))),
          there_(data != nullptr),
          aligned_(P.whole_runs ||
                   (reinterpret_cast<std::uintptr_t>(data + row * stride) - std::uintptr_t(shift * size)) %
                           std::uintptr_t(piece * size) ==
                       0) {
        if constexpr (joins) {
            const auto begin = reinterpret_cast<std::uintptr_t>(data),
                       at = reinterpret_cast<std::uintptr_t>(data + row * stride),
                       end = reinterpret_cast<std::uintptr_t>(data + ((rows - 1) * stride + count));
            at_.row = data + row * stride, at_.lead = shift;
            at_.begin = at - std::uintptr_t(shift * size) >= begin ? -shift : 0;
            at_.end = count - (at + std::uintptr_t((count + P.run) * size) <= end ? 0 : P.run);
        }
    }

    FADE_FN run_type load(const columns& c, int first, element otherwise) const {
        vec<element, P.run> instead;
        FADE_UNROLL
        for (int e = 0; e < P.run; ++e) instead[e] = otherwise;
        if constexpr (P.whole_runs) {  // lanes behind the row load zeros, as those of a tensor that is
                                       // left out
            const auto run = load_whole(there_ && first < c.count ? byte(first) : backend::outside);
            return is_zero(otherwise) ? run : held::chosen(there_, run, held::packed(instead));
        } else {
            if (!there_) return held::packed(instead);
            return is_inside(c, first) ? load_whole(byte(first)) : load_ends(c, first);
        }
    }
    /// The same for runs of a lane. On NVIDIA GPUs all are under way at once: one branch, which few rows
    /// take, stands behind them.
    template <int Count>
    FADE_FN void load_all(run_type (&to)[Count], const columns& c, lane_coord p, int begin,
                          element otherwise) const {
        FADE_UNROLL
        for (int i = 0; i < Count; ++i) {
            const int first = c.first(p, begin, i);
            to[i] = joins ? load_whole(is_inside(c, first) ? byte(first) : backend::outside)
                          : load(c, first, otherwise);
        }
        if constexpr (joins) {
            if (there_ && aligned_ && at_.begin == -c.shift && at_.end == c.count) return;
            FADE_UNROLL
            for (int i = 0; i < Count; ++i) {
                const int first = c.first(p, begin, i);
                if (!is_inside(c, first)) to[i] = load(c, first, otherwise);
            }
        }
    }
    /// The pieces that a run lies in, one behind the other.
    using pieces_type = vec<std::uint32_t, (P.run / piece + 1) * piece * size / 4>;
    /// The same of a row that begins elsewhere than those whose columns lanes have.
    template <int Count>
    FADE_FN void load_joined(run_type (&to)[Count], const columns& c, lane_coord p, int begin,
                             element otherwise) const {
        FADE_UNROLL
        for (int i = 0; i < Count; ++i) to[i] = all_of(otherwise);
        if (!there_) return;
        pieces_type pieces[Count];
        FADE_UNROLL
        for (int i = 0; i < Count; ++i) pieces[i] = load_pieces(c, c.first(p, begin, i));
        FADE_UNROLL
        for (int i = 0; i < Count; ++i) to[i] = joined(c, c.first(p, begin, i), pieces[i]);
    }
    /// The pieces of a run, without a branch; none of one whose pieces reach beyond the row.
    FADE_FN pieces_type load_pieces(const columns& c, int first) const {
        using part = vec<std::uint32_t, piece * size / 4>;
        const bool spans = is_spanned(c, first);
        const int skew = skew_of(c);
        pieces_type out;
        FADE_UNROLL
        for (int i = 0; i <= P.run / piece; ++i) {
            const bool wanted = spans && (i < P.run / piece || skew != 0);
            const auto some =
                load_at<part>(wanted ? byte(first) - std::uint32_t(skew) + std::uint32_t(i * piece * size)
                                     : backend::outside);
            FADE_UNROLL
            for (int w = 0; w < part::size; ++w) out[i * part::size + w] = some[w];
        }
        return out;
    }
    /// The run that begins `skew` bytes behind the first of its pieces, or comes by elements if there are
    /// any.
    FADE_FN run_type joined(const columns& c, int first, pieces_type x) const {
        if (!is_spanned(c, first)) return load_ends(c, first);
        const int skew = skew_of(c);
        FADE_UNROLL
        for (int words = 2; words > 0; words /= 2)  // by so many where the skew has that bit
            if (words * 4 < piece * size) {
                FADE_UNROLL
                for (int i = 0; i + words < pieces_type::size; ++i)
                    x[i] = skew & (words * 4) ? x[i + words] : x[i];
            }
        vec<std::uint32_t, P.run * size / 4> out;
        FADE_UNROLL
        for (int i = 0; i < out.size; ++i)
            out[i] =
                size == 4 ? x[i] : std::uint32_t((std::uint64_t(x[i + 1]) << 32 | x[i]) >> (skew % 4 * 8));
        return __builtin_bit_cast(run_type, out);
    }
    FADE_FN auto load_run(const columns& c, int first) const {
        if constexpr (joins)
            return held::unpacked(joined(c, first, load_pieces(c, first)));
        else
            return held::unpacked(load(c, first, element{}));
    }
    /// Starts copying a run to shared memory, to byte `to`; zeros where there is none.
    FADE_FN void copy_async(Block& block, lane_coord p, const columns& c, int first, std::uint32_t to) const {
        static_assert(P.whole_runs && P.run * size == 16);
        block.copy_async(p, to, memory_, there_ && first < c.count ? byte(first) : backend::outside);
    }
    /// The same of any run that has a column; one that is not whole comes by way of registers.
    FADE_FN void stage(Block& block, lane_coord p, const columns& c, int first, std::uint32_t to,
                       element otherwise) const {
        static_assert(P.run * size == 16);
        if (first >= c.count) return;
        if (P.whole_runs ? there_ : is_inside(c, first))
            block.copy_async(p, to, memory_, byte(first));
        else
            block.store_shared(p, to, load(c, first, otherwise));
    }
    /// The run that was copied there.
    FADE_FN run_type load_copied(Block& block, lane_coord p, std::uint32_t from, element otherwise) const {
        const auto run = block.template load_shared<run_type>(p, from);
        vec<element, P.run> instead;
        FADE_UNROLL
        for (int e = 0; e < P.run; ++e) instead[e] = otherwise;
        return is_zero(otherwise) ? run : held::chosen(there_, run, held::packed(instead));
    }
    /// Asks for a run that is loaded later.
    FADE_FN void prefetch(const columns& c, int first) const {
        if constexpr (requires { memory_.prefetch(std::uint32_t(0)); })
            if (there_ && first >= 0 && first < c.count) memory_.prefetch(byte(first));
    }
    /// One element of the row.
    FADE_FN element load_one(int column) const { return load_at<vec<element, 1>>(byte(column))[0]; }
    FADE_FN void store(const columns& c, int first, const vec<element, P.run>& v) const {
        if (aligned_ && c.whole(first)) {
            store_whole(v, first);
        } else {
            FADE_UNROLL
            for (int e = 0; e < P.run; ++e) memory_.store(byte_if(c, first + e), vec<element, 1>{v[e]});
        }
    }

private:
    /// By bits. It is a constant where the kernel gives none.
    FADE_FN static bool is_zero(element x) {
        if constexpr (sizeof(element) == 4)
            return __builtin_bit_cast(std::uint32_t, x) == 0;
        else
            return __builtin_bit_cast(std::uint16_t, x) == 0;
    }
    /// Is it a whole aligned run of the row? On NVIDIA GPUs of the tensor: what neighbours have of it is
    /// nobody's, and no branch stands behind the loads of a row, but for the first and the last of all.
    FADE_FN bool is_inside(const columns& c, int first) const {
        if constexpr (joins)
            return there_ && aligned_ && first < c.count && first >= at_.begin && first <= at_.end;
        else
            return there_ && aligned_ && first < c.count && c.whole(first);
    }
    /// Bytes from an aligned piece to where runs begin.
    FADE_FN int skew_of(const columns& c) const {
        return int((reinterpret_cast<std::uintptr_t>(at_.row) - std::uintptr_t(c.shift * size)) %
                   std::uintptr_t(piece * size));
    }
    /// Do the aligned pieces that a whole run lies in belong to the row?
    FADE_FN bool is_spanned(const columns& c, int first) const {
        const int before = skew_of(c) / size, behind = before == 0 ? 0 : piece - before;
        return there_ && first >= before && first + P.run + behind <= c.count;
    }
    FADE_FN static run_type all_of(element x) {
        vec<element, P.run> out;
        FADE_UNROLL
        for (int e = 0; e < P.run; ++e) out[e] = x;
        return held::packed(out);
    }
    FADE_FN std::uint32_t byte(int column) const {
        return std::uint32_t(column + at_.lead) * std::uint32_t(size);
    }
    /// What is no column of the row is dropped by the access itself, which costs no branch.
    FADE_FN std::uint32_t byte_if(const columns& c, int column) const {
        return c.holds(column) ? byte(column) : backend::outside;
    }
    template <class V>
    FADE_FN V load_at(std::uint32_t at) const {
        if constexpr (requires { memory_.template load_predicated<V>(at); })
            return memory_.template load_predicated<V>(at);
        else
            return memory_.template load<V>(at);
    }
    FADE_FN run_type load_whole(std::uint32_t at) const {
        if constexpr (piece == P.run) {
            return load_at<run_type>(at);
        } else {
            vec<element, P.run> out;
            FADE_UNROLL
            for (int i = 0; i < P.run; i += piece) {
                const auto part = load_at<vec<element, piece>>(at + std::uint32_t(i * size));
                FADE_UNROLL
                for (int e = 0; e < piece; ++e) out[i + e] = part[e];
            }
            return held::packed(out);
        }
    }
    FADE_FN run_type load_ends(const columns& c, int first) const {
        vec<element, P.run> out;
        FADE_UNROLL
        for (int e = 0; e < P.run; ++e) out[e] = load_at<vec<element, 1>>(byte_if(c, first + e))[0];
        return held::packed(out);
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

    /// What a row that begins anywhere takes beside its memory.
    struct anywhere {
        T* row;
        int lead;        ///< elements before the row at which `memory_` begins, so that no offset is below 0
        int begin, end;  ///< the first and the last run that can be read whole
    };
    struct nowhere {
        static constexpr int lead = 0;
    };

    memory_type memory_;
    bool there_, aligned_;
    [[no_unique_address]] std::conditional_t<joins, anywhere, nowhere> at_{};
};

}  // namespace FADE_NAMESPACE::block

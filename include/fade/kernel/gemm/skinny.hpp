// Products of few rows or few columns on the host: the other operand is read once, where it lies.
#pragma once
#include <cstring>
#include <fade/atom/cpu/pack.hpp>
#include <fade/atom/cpu/skinny.hpp>
#include <fade/core/operand_pair.hpp>
#include <fade/kernel/gemm/finish.hpp>

namespace FADE_NAMESPACE::kernel {

/// How the operand with more lines is read: by lines of k, or by lines beside each other at each k.
enum class skinny_order { none, dots, axpys };

/// Few rows of A or few columns of B, at most, so that reading the other operand once pays. Rows of A spare
/// it the packing, which is dear for B alone; an element that must be converted is converted once for four.
template <class T, class In>
constexpr index most_few_lines(bool rows_are_few, bool in_packs) {
    if (!in_packs && !std::is_same_v<In, T> && !std::is_same_v<In, bf16>) return 4;
    return !rows_are_few || sizeof(In) == 1 ? 16 : sizeof(In) == 2 ? 64 : 32;
}
inline constexpr int most_few = 64;

/// Of a product with m rows and n columns; strides are those of the operand with more lines.
template <class T, class In>
constexpr skinny_order skinny_order_of(index m, index n, index k, index line_stride, index k_stride,
                                       bool in_packs) {
    constexpr index shallow = 128, narrow = 16;
    if (is_operand_pair<In>) return skinny_order::none;
    const index few = min_of(m, n);
    if (k < shallow || max_of(m, n) < narrow) return skinny_order::none;
    if (k_stride == 1 && few <= most_few_lines<T, In>(m <= n, in_packs)) return skinny_order::dots;
    if (line_stride == 1 && few == 1 && !std::is_same_v<T, i32>) return skinny_order::axpys;
    return skinny_order::none;
}

/// Are elements of In multiplied in packs here?
template <class Atom>
bool has_packs() {
    if constexpr (Atom::may_pack)
        return Atom::packs::present();
    else
        return false;
}

/// One workgroup's part of D. Traits: of the panels, whose memory this uses. Units: the elements that are
/// multiplied.
template <class Traits, class Units, class Args>
class skinny_walk {
    using T = typename Traits::element;
    using in = std::remove_cvref_t<decltype(*std::declval<Args>().a)>;
    static constexpr bool packs = fade::atom::pack_of<typename Units::left> > 1;
    using few_element = std::conditional_t<packs, in, T>;
    static constexpr int unit = 64 / int(sizeof(few_element)), lanes = 64 / int(sizeof(T)), chunk = 32 * unit;
    static constexpr int wide_lines = fade::atom::wide_lines, few_lines = fade::atom::few_lines;
    using lane_sums = T[wide_lines][few_lines][lanes];

public:
    skinny_walk(std::byte* memory, const Args& args, const output_tile& at, int rows, int columns)
        : args_(args), at_(at), rows_(rows), columns_(columns), few_is_a_(args.m <= args.n),
          few_(reinterpret_cast<few_element*>(memory)),
          sums_(reinterpret_cast<T*>(memory) + Traits::block_elements + Traits::strip_elements) {}

    void run(skinny_order order) {
        const int few = few_is_a_ ? rows_ : columns_, wide = few_is_a_ ? columns_ : rows_;
        // Of the whole product, so that sums are the same whatever a share is.
        const index deepest = Traits::block_elements * index(sizeof(T)) /
                              (min_of(args_.m, args_.n) * index(sizeof(few_element))) / 512 * 512;
        clear();
        for (index done = 0; done < at_.k_count; done += deepest) {
            const int depth = int(min_of(deepest, at_.k_count - done));
            stage(few, at_.k_begin + done, depth);
            if (order == skinny_order::dots)
                add_dots(few, wide, at_.k_begin + done, depth);
            else
                add_axpys(wide, at_.k_begin + done, depth);
        }
        finish();
    }

private:
    index pitch() const { return ceil_div(columns_, Traits::panel) * Traits::panel; }
    void clear() {
        for (int r = 0; r < rows_; ++r)
            std::memset(static_cast<void*>(sums_ + r * pitch()), 0, sizeof(T) * std::size_t(columns_));
    }

    /// The few lines, one after another, with zeros to whole units.
    void stage(int few, index k, int depth) {
        const in* from =
            few_is_a_ ? args_.a + at_.batch * args_.stride_a + at_.row * args_.a_row + k * args_.a_k
                      : args_.b + at_.batch * args_.stride_b + at_.column * args_.b_column + k * args_.b_k;
        const index line = few_is_a_ ? args_.a_row : args_.b_column, step = few_is_a_ ? args_.a_k : args_.b_k;
        few_pitch_ = ceil_div(depth, unit) * unit;
        for (int f = 0; f < few; ++f, from += line) {
            few_element* to = few_ + f * few_pitch_;
            if (step != 1)
                for (int i = 0; i < depth; ++i) to[i] = convert<few_element>(from[i * step]);
            else if constexpr (packs)
                std::memcpy(to, from, sizeof(in) * std::size_t(depth));
            else
                fade::atom::with_vectors<fade::atom::copy_rows>(to, index(0), from, index(0), 1, depth);
            std::memset(static_cast<void*>(to + depth), 0,
                        sizeof(few_element) * std::size_t(few_pitch_ - depth));
            if constexpr (packs && Units::lifted) {
                T sum{};
                for (int i = 0; i < depth; ++i) sum += T(to[i]);
                excess_[f] = wrapping_product(sum, T(128));
            }
        }
    }

    const in* wide_at(index line, index k) const {
        return few_is_a_
                   ? args_.b + at_.batch * args_.stride_b + (at_.column + line) * args_.b_column +
                         k * args_.b_k
                   : args_.a + at_.batch * args_.stride_a + (at_.row + line) * args_.a_row + k * args_.a_k;
    }
    T& sum_at(int few, int wide) const {
        return few_is_a_ ? sums_[few * pitch() + wide] : sums_[wide * pitch() + few];
    }

    void add_dots(int few, int wide, index k, int depth) {
        alignas(64) lane_sums sums[most_few / few_lines];
        alignas(64) in tail[wide_lines][unit];
        const int whole = depth / unit * unit;
        for (int line = 0; line < wide; line += wide_lines) {
            const int here = min_of(wide_lines, wide - line);
            std::memset(sums, 0, sizeof sums[0] * std::size_t(ceil_div(few, few_lines)));
            const in* at[wide_lines];
            for (int w = 0; w < wide_lines; ++w) at[w] = wide_at(line + min_of(w, here - 1), k);
            for (int begin = 0; begin < whole; begin += chunk)
                add_chunk(sums, at, begin, begin, min_of(chunk, whole - begin), few);
            if (whole < depth) {
                std::memset(static_cast<void*>(tail), 0, sizeof tail);
                const in* padded[wide_lines];
                for (int w = 0; w < wide_lines; ++w) {
                    std::memcpy(tail[w], at[w] + whole, sizeof(in) * std::size_t(depth - whole));
                    padded[w] = tail[w];
                }
                add_chunk(sums, padded, 0, whole, unit, few);
            }
            for (int first = 0; first < few; first += few_lines) {
                T joined[wide_lines][few_lines];
                fade::atom::with_vectors<fade::atom::join_dots>(sums[first / few_lines], joined);
                for (int f = first; f < min_of(first + few_lines, few); ++f)
                    for (int w = 0; w < here; ++w) add(f, line + w, joined[w][f - first]);
            }
        }
    }
    void add(int few, int wide, T sum) {
        if constexpr (packs && Units::lifted) sum = wrapping_sum(sum, wrapping_product(T(-1), excess_[few]));
        T& to = sum_at(few, wide);
        to = wrapping_sum(to, sum);
    }
    void add_chunk(lane_sums* sums, const in* const (&wide)[wide_lines], int wide_k, int few_k, int depth,
                   int few) {
        for (int f = 0; f < few; f += few_lines, ++sums) {
            fade::atom::line_dots<T, in, few_element> p;
            for (int w = 0; w < wide_lines; ++w) p.wide[w] = wide[w] + wide_k;
            for (int i = 0; i < few_lines; ++i) p.few[i] = few_ + min_of(f + i, few - 1) * few_pitch_ + few_k;
            p.depth = depth, p.ahead = chunk, p.sums = *sums;
            if (few == 1)
                multiply<1>(p);
            else
                multiply<few_lines>(p);
        }
    }
    template <int Count>
    static void multiply(const fade::atom::line_dots<T, in, few_element>& p) {
        if constexpr (packs)
            fade::atom::dot_packed_lines<Count, Units>(p);
        else
            fade::atom::with_vectors<fade::atom::dot_lines<Count>>(&p);
    }

    void add_axpys(int wide, index k, int depth) {
        if constexpr (!packs && !std::is_same_v<T, i32>) {
            constexpr int some = fade::atom::axpy_depth;
            T* const to = reinterpret_cast<T*>(few_) + Traits::block_elements;
            std::memset(static_cast<void*>(to), 0, sizeof(T) * std::size_t(wide));
            int i = 0;
            const index step = few_is_a_ ? args_.b_k : args_.a_k;
            for (; i + some <= depth; i += some)
                fade::atom::with_vectors<fade::atom::add_lines>(to, wide_at(0, k + i), step, few_ + i, wide);
            for (; i < depth; ++i)
                for (int w = 0; w < wide; ++w) to[w] += few_[i] * convert<T>(wide_at(0, k + i)[w]);
            for (int w = 0; w < wide; ++w) sum_at(0, w) += to[w];
        }
    }

    void finish() {
        for (int j = 0; j < columns_; j += Traits::panel)
            finish_rows<Traits::panel>(row_run<T>{sums_ + j, pitch()}, args_, moved(at_, 0, j), rows_,
                                       min_of(int(Traits::panel), columns_ - j));
    }

    const Args& args_;
    const output_tile at_;
    const int rows_, columns_;
    const bool few_is_a_;
    few_element* const few_;
    T* const sums_;
    index few_pitch_ = 0;
    T excess_[most_few];
};

/// Makes a part of a product if it is skinny, and says whether it did.
template <class Traits, class Args>
bool make_skinny(std::byte* memory, const Args& args, const output_tile& at, int rows, int columns) {
    using in = std::remove_cvref_t<decltype(*args.a)>;
    using atom = typename Traits::atom;
    const bool rows_are_few = args.m <= args.n, in_packs = has_packs<atom>();
    const skinny_order order = skinny_order_of<typename Traits::element, in>(
        args.m, args.n, args.k, rows_are_few ? args.b_column : args.a_row, rows_are_few ? args.b_k : args.a_k,
        in_packs);
    if (order == skinny_order::none) return false;
    if constexpr (atom::may_pack)
        if (in_packs && order == skinny_order::dots)
            return skinny_walk<Traits, typename atom::packs, Args>(memory, args, at, rows, columns)
                       .run(order),
                   true;
    return skinny_walk<Traits, typename atom::whole, Args>(memory, args, at, rows, columns).run(order), true;
}

}  // namespace FADE_NAMESPACE::kernel

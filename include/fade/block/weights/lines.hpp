// Quantised weights as a CPU takes them: columns become numbers in memory of the thread's own.
#pragma once
#include <cstring>
#include <fade/block/source/strided.hpp>
#include <fade/block/weights/source.hpp>

namespace FADE_NAMESPACE::block {

/// `scratch` holds what is asked for at once, column after column.
template <weight_format Format, class In>
struct weight_lines {
    const weight_memory& all;
    In* scratch;

    static bool in_place() { return false; }
    static bool along_k() { return true; }
    operand<In> lines(index first, int count, index k, int depth) const {
        for (int i = 0; i < count; ++i)
            for (int done = 0, run; done < depth; done += run) {
                run = run_from(k + done, depth - done);
                fill(scratch + index(i) * depth + done, first + i, k + done, run);
            }
        return {scratch, nullptr, nullptr, depth, 1, count};
    }

private:
    static constexpr bool in_rows = Format.order == weight_order::rows,
                          awq = Format.order == weight_order::awq;
    static constexpr int per_word = Format.per_word();
    static constexpr std::uint32_t mask = Format.bits() == 4 ? 15 : 255;

    /// Up to the end of a group.
    int run_from(index k, int limit) const {
        if constexpr (Format.group == 0) return limit;
        const index group = Format.leaves_group() ? index(1) << all.shift : max_of(Format.group, 1);
        return int(min_of<index>(limit, group - (k & (group - 1))));
    }
    template <int Bytes>
    static std::uint32_t number(const std::byte* from, index at) {
        std::uint32_t out = 0;
        std::memcpy(&out, from + at * Bytes, Bytes);
        return out;
    }

    std::uint32_t element(index column, index k) const {
        if constexpr (in_rows) {
            const index at = column * all.k + k;
            const auto byte = std::uint32_t(all.words[Format.bits() == 4 ? at / 2 : at]);
            return (Format.bits() == 4 ? byte >> at % 2 * 4 : byte) & mask;
        } else {
            const index word =
                awq ? k * (all.n / per_word) + column / per_word : k / per_word * all.n + column;
            return (number<4>(all.words, word) >> bit_of<Format>(int((awq ? column : k) % per_word))) & mask;
        }
    }
    float zero(index column, index group, index place) const {
        if constexpr (Format.zero == weight_zero::none)
            return float(Format.bias);
        else if constexpr (Format.zero == weight_zero::as_scales)
            return scale_value<Format.scale>(number<Format.scale_bytes()>(all.zeros, place));
        else if constexpr (Format.zero == weight_zero::bytes)
            return weight_value<Format.element>(number<1>(all.zeros, place) & mask);
        else {
            const std::uint32_t word = number<4>(all.zeros, (group * all.n + column) / per_word);
            const float zero =
                weight_value<Format.element>((word >> bit_of<Format>(int(column % per_word))) & mask);
            return Format.zero == weight_zero::packed_less_one ? zero + 1 : zero;
        }
    }
    void fill(In* to, index column, index k, int count) const {
        const index group = group_of<Format>(all, k),
                    place = in_rows ? column * groups_of<Format>(all) + group : group * all.n + column;
        const float scale = scale_value<Format.scale>(number<Format.scale_bytes()>(all.scales, place)),
                    off = zero(column, group, place);
        for (int i = 0; i < count; ++i)
            to[i] = from_f32<In>((weight_value<Format.element>(element(column, k + i)) - off) * scale);
    }
};

}  // namespace FADE_NAMESPACE::block

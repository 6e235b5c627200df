// Packed words of weights on their way to registers, with the scales and zeros of their groups.
#pragma once
#include <fade/backend/buffer.hpp>
#include <fade/block/weights/numbers.hpp>
#include <fade/block/weights/source.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::block {

/// Starts reading patches of a source that stays where it is.
template <class Block, weight_format Format, class Patch, class In>
class packed_reader {
    using source = weight_source<Format, In>;
    using packed = weight_words<Format, Patch>;
    using load_words = vec<std::uint32_t, Patch::width>;
    template <int Bytes>
    using raw = std::conditional_t<
        Bytes == 1, std::uint8_t,
        std::conditional_t<Bytes == 2, std::uint16_t, vec<std::uint32_t, max_of(Bytes / 4, 1)>>>;

public:
    FADE_FN packed_reader(const Block& block, const source& from)
        : block_(block), from_(from), words_(from.words_in(block)), scales_(from.scales_in(block)) {}

    /// The patch at (row, depth + further), whose words begin at `offset` + those of `further` k, which all
    /// lanes share. `beyond` is backend::outside where it does not exist: then all of it reads as zero.
    FADE_FN void read(packed& to, int row, int depth, std::uint32_t offset, std::uint32_t beyond,
                      int further) const {
        read_words(to, offset, beyond, further);
        read_scales(to, row, depth, beyond, further);
    }
    FADE_FN void read_words(packed& to, std::uint32_t offset, std::uint32_t beyond, int further) const {
        FADE_UNROLL
        for (int j = 0; j < Patch::loads; ++j)
            to.value[j] = words_.template load<load_words>(
                offset | beyond, from_.offset(0, further + j * (Patch::k / Patch::loads)));
    }
    FADE_FN void read_scales(packed& to, int row, int depth, std::uint32_t beyond, int further) const {
        const std::uint32_t place = from_.place(row, depth + further);
        to.scale = load<packed::scale_bytes>(scales_, (place * Format.scale_bytes()) | beyond);
        if constexpr (Format.zero != weight_zero::none)
            to.zero = read_zeros(row, depth + further, place, beyond);
    }

private:
    template <int Bytes, class Memory>
    FADE_FN static auto load(const Memory& memory, std::uint32_t offset) {
        if constexpr (Bytes < 4)
            return vec<std::uint32_t, 1>{{std::uint32_t(memory.template load<raw<Bytes>>(offset))}};
        else
            return memory.template load<raw<Bytes>>(offset);
    }
    FADE_FN auto read_zeros(int row, int k, std::uint32_t place, std::uint32_t beyond) const {
        const std::uint32_t at = Format.packs_zeros()                ? from_.zero_word(row, k) * 4
                                 : Format.zero == weight_zero::bytes ? place
                                                                     : place * Format.scale_bytes();
        return load<packed::zero_bytes>(from_.zeros_in(block_), at | beyond);
    }

    const Block& block_;
    const source& from_;
    typename Block::buffer words_, scales_;
};

}  // namespace FADE_NAMESPACE::block

// Elements inside 32-bit registers: taken out, widened, and rows of them turned into columns.
#pragma once
#include <cstdint>
#include <fade/core/dtype.hpp>
#include <fade/core/vec.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::block {

template <class Block, class T>
struct register_view {
    static constexpr int size = int(sizeof(T)), per_word = size < 4 ? 4 / size : 1;
    using bits = std::conditional_t<size == 1, std::uint8_t,
                                    std::conditional_t<size == 2, std::uint16_t, std::uint32_t>>;

    /// An element in the low part of a register.
    FADE_FN static constexpr std::uint32_t widened(T x) { return __builtin_bit_cast(bits, x); }

    /// Where an element is: the register, and which of those that share it.
    struct element {
        std::uint32_t word;
        int place;
    };

    /// A register of elements in another type, wider than T: as many of at(0), at(1), ... as it holds.
    /// Neighbours: at(1) lies behind at(0), in the same half of a register; else both have the same place in
    /// registers of their own.
    template <class To, bool Neighbours, class At>
    FADE_FN static constexpr std::uint32_t converted(At at) {
        if constexpr (size == 1 && std::is_same_v<To, f16>)
            return Block::template widen<T, Neighbours>(at(0).word, at(1).word, at(0).place);
        std::uint32_t all = 0;
        FADE_UNROLL
        for (int i = 0; i < 4 / int(sizeof(To)); ++i)
            all |= register_view<Block, To>::widened(
                       convert<To>(__builtin_bit_cast(T, bits(at(i).word >> at(i).place * size * 8))))
                   << 8 * int(sizeof(To)) * i;
        return all;
    }

    /// One register of the elements at the same place (of `at` modulo the number that share a register) of
    /// neighbouring registers word(0), word(1), ...
    template <class Word>
    FADE_FN static std::uint32_t column(Word word, int at) {
        if constexpr (size == 2)
            return at % 2 ? Block::template pick_bytes<0x7632>(word(0), word(1))
                          : Block::template pick_bytes<0x5410>(word(0), word(1));
        else {
            const auto pairs = [&](int j) {
                return at % 4 < 2 ? Block::template pick_bytes<0x5140>(word(j), word(j + 1))
                                  : Block::template pick_bytes<0x7362>(word(j), word(j + 1));
            };
            return at % 2 ? Block::template pick_bytes<0x7632>(pairs(0), pairs(2))
                          : Block::template pick_bytes<0x5410>(pairs(0), pairs(2));
        }
    }
};

}  // namespace FADE_NAMESPACE::block

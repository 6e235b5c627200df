// Quantised weights in memory, and what they are worth: by arithmetic of the tests' own, from the bytes.
#pragma once
#include "common/numbers.hpp"
#include <cstring>
#include <fade/core/weights/number.hpp>
#include <random>
#include <vector>

namespace fade::test {

/// Random bytes at an aligned address, with bytes behind them that nobody may read as weights.
class weight_bytes {
public:
    explicit weight_bytes(std::size_t bytes) : size_(bytes), memory_(bytes + 64, 0xff) {}
    std::uint8_t* data() {
        return memory_.data() + (16 - reinterpret_cast<std::uintptr_t>(memory_.data()) % 16) % 16;
    }
    const std::uint8_t* data() const { return const_cast<weight_bytes*>(this)->data(); }
    std::size_t size() const { return size_; }

private:
    std::size_t size_;
    std::vector<std::uint8_t> memory_;
};

/// `count` bits from bit `at` of memory, lowest first.
inline std::uint32_t bits_at(const weight_bytes& from, index at, int count) {
    const std::uint8_t* bytes = from.data() + at / 8;  // bytes lie behind the last ones, too
    std::uint64_t five = 0;
    for (int i = 0; i < 5; ++i) five |= std::uint64_t{bytes[i]} << 8 * i;
    return std::uint32_t(five >> at % 8 & ((std::uint64_t{1} << count) - 1));
}

/// W of a format: its bytes, scales and zero points, random, each weight near 1 / sqrt(k). `group`: that of a
/// problem whose format leaves it open.
template <weight_format Format>
class quantised {
public:
    quantised(index n, index k, index group, std::mt19937_64& random)
        : n_(n), k_(k), group_(Format.leaves_group() ? group : Format.group),
          groups_(group_ > 0 ? k / group_ : 1), words_(std::size_t(n * k * bits / 8)),
          scales_(std::size_t(groups_ * n * scale_bytes)), zeros_(std::size_t(bytes_of_zeros())) {
        for (std::size_t i = 0; i < words_.size(); ++i) words_.data()[i] = element_byte(random);
        for (std::size_t i = 0; i < zeros_.size(); ++i) zeros_.data()[i] = std::uint8_t(random());
        std::uniform_real_distribution<double> factor(0.5, 2);
        const double near = 1 / (range() * std::sqrt(double(k)));
        for (index i = 0; i < groups_ * n; ++i) put_scale(scales_, i, near * factor(random));
        if (Format.zero == weight_zero::as_scales)
            for (index i = 0; i < groups_ * n; ++i) put_scale(zeros_, i, range() * factor(random));
    }

    const void* words() const { return words_.data(); }
    const void* zeros() const { return Format.zero == weight_zero::none ? nullptr : zeros_.data(); }
    const weight_scale_t<Format>* scales() const {
        return reinterpret_cast<const weight_scale_t<Format>*>(scales_.data());
    }
    const weight_bytes& bytes_of_words() const { return words_; }
    const weight_bytes& bytes_of_scales() const { return scales_; }
    const weight_bytes& bytes_of_zero_points() const { return zeros_; }

    /// scale * (element - zero), each step in f32 and the last in In.
    template <class In>
    double weight(index row, index column) const {
        const index group = group_ > 0 ? row / group_ : 0;
        const float difference = float(value_of_element(element(row, column)) - zero(group, column));
        return value_of(nearest<In>(float(double(difference) * scale(group, column))));
    }

private:
    static constexpr int bits = Format.bits(), scale_bytes = Format.scale_bytes(), per_word = 32 / bits;

    static double range() {
        switch (Format.element) {
        case weight_element::unsigned4:
            return 8;
        case weight_element::signed4:
            return 4;
        case weight_element::e2m1:
            return 2;
        case weight_element::e4m3:
            return 64;
        case weight_element::e5m2:
            return 1024;
        default:
            return 64;
        }
    }
    /// Floats that are numbers, and of e5m2 none that A's type could not hold.
    static std::uint8_t element_byte(std::mt19937_64& random) {
        for (;;) {
            const auto byte = std::uint8_t(random());
            if (Format.element == weight_element::e4m3 && (byte & 0x7f) == 0x7f) continue;
            if (Format.element == weight_element::e5m2 && (byte & 0x7f) > 0x68) continue;
            return byte;
        }
    }
    index bytes_of_zeros() const {
        switch (Format.zero) {
        case weight_zero::none:
            return 0;
        case weight_zero::bytes:
            return groups_ * n_;
        case weight_zero::as_scales:
            return groups_ * n_ * scale_bytes;
        default:
            return groups_ * n_ * bits / 8;
        }
    }

    std::uint32_t element(index row, index column) const {
        if (Format.order == weight_order::rows) return bits_at(words_, (column * k_ + row) * bits, bits);
        if (Format.order == weight_order::gptq)
            return bits_at(words_, (row / per_word * n_ + column) * 32 + row % per_word * bits, bits);
        return bits_at(words_, (row * n_ / 8 + column / 8) * 32 + awq_nibble(column) * 4, 4);
    }
    /// AWQ packs columns 0 2 4 6 1 3 5 7 from the lowest nibble on.
    static index awq_nibble(index column) {
        static constexpr int order[] = {0, 2, 4, 6, 1, 3, 5, 7};
        return std::find(order, order + 8, int(column % 8)) - order;
    }
    static double value_of_element(std::uint32_t x) {
        switch (Format.element) {
        case weight_element::signed4:
            return x < 8 ? double(x) : double(x) - 16;
        case weight_element::signed8:
            return x < 128 ? double(x) : double(x) - 256;
        case weight_element::e2m1: {
            static constexpr double values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
            return x < 8 ? values[x] : -values[x - 8];
        }
        case weight_element::e4m3:
            return value_of(f8e4m3{std::uint8_t(x)});
        case weight_element::e5m2:
            return value_of(f8e5m2{std::uint8_t(x)});
        default:
            return double(x);
        }
    }
    double zero(index group, index column) const {
        const index place =
            Format.order == weight_order::rows ? column * groups_ + group : group * n_ + column;
        switch (Format.zero) {
        case weight_zero::none:
            return Format.bias;
        case weight_zero::as_scales:
            return number(zeros_, place);
        case weight_zero::bytes:
            return value_of_element(bits_at(zeros_, place * 8, bits));
        default:
            break;
        }
        const index in_word = Format.order == weight_order::awq ? awq_nibble(column) : column % per_word;
        return value_of_element(
                   bits_at(zeros_, ((group * n_ + column) / per_word) * 32 + in_word * bits, bits)) +
               (Format.zero == weight_zero::packed_less_one ? 1 : 0);
    }
    double scale(index group, index column) const {
        return number(scales_,
                      Format.order == weight_order::rows ? column * groups_ + group : group * n_ + column);
    }
    double number(const weight_bytes& from, index at) const {
        const std::uint32_t x = bits_at(from, at * scale_bytes * 8, scale_bytes * 8);
        switch (Format.scale) {
        case weight_scale::binary16:
            return value_of(f16{std::uint16_t(x)});
        case weight_scale::bfloat16:
            return value_of(bf16{std::uint16_t(x)});
        case weight_scale::binary32:
            return double(std::bit_cast<float>(x));
        case weight_scale::e4m3:
            return value_of(f8e4m3{std::uint8_t(x)});
        default:
            return std::ldexp(1.0, int(x) - 127);
        }
    }
    void put_scale(weight_bytes& to, index at, double value) const {
        std::uint32_t x = 0;
        switch (Format.scale) {
        case weight_scale::binary16:
            x = encode(format_of<f16>, value);
            break;
        case weight_scale::bfloat16:
            x = encode(format_of<bf16>, value);
            break;
        case weight_scale::binary32:
            x = std::bit_cast<std::uint32_t>(float(value));
            break;
        case weight_scale::e4m3:
            x = encode(format_of<f8e4m3>, value);
            break;
        default:
            x = std::uint32_t(127 + std::ilogb(value));
            break;
        }
        std::memcpy(to.data() + at * scale_bytes, &x, std::size_t(scale_bytes));
    }

    index n_, k_, group_, groups_;
    weight_bytes words_, scales_, zeros_;
};

}  // namespace fade::test

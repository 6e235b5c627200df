#include "weights.hpp"
#include "../../common/parallel.hpp"
#include "../hash.hpp"
#include "../inputs.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace fade::bench {
namespace {

using kind = weight_kind;

const element& type(fade::dtype t) { return element_of(t); }
bool in_words(kind f) { return f == kind::gptq || f == kind::awq; }
bool has_nibbles(kind f) { return f == kind::mxfp4 || f == kind::nvfp4; }
bool has_powers(kind f) { return f == kind::mxfp4 || f == kind::mxfp8; }

template <class T>
T read(const buffer& from, index at) {
    T out;
    std::memcpy(&out, from.data() + at * index(sizeof(T)), sizeof(T));
    return out;
}

double number(const buffer& from, index at) {
    double out;
    from.shape().type->decode(from.data(), at, 1, 1, &out);
    return out;
}

/// AWQ's words: which four bits the columns 0 to 7 of a word have, counted from the lowest.
constexpr int awq_place[] = {0, 4, 1, 5, 2, 6, 3, 7};

int nibble(std::uint32_t word, int place) { return int(word >> (4 * place)) & 15; }

/// Four bits: a sign, two of an exponent and one of a fraction.
double e2m1(int bits) {
    constexpr double magnitude[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    return bits & 8 ? -magnitude[bits & 7] : magnitude[bits & 7];
}

/// From 0.5 to 1.5, of the place in a stream.
double spread(std::uint64_t key, index i) {
    return 0.5 + double(mixed(key + std::uint64_t(i)) >> 11) * 0x1p-53;
}

/// How large elements of a format are beside their zero: the root of the mean of their squares.
double typical(kind f) { return f == kind::int8_rows ? 73 : f == kind::mxfp8 ? 16 : in_words(f) ? 5.2 : 2.9; }

void fill_scales(kind f, const buffer& to, double size, std::uint64_t key) {
    const matrix& m = to.shape();
    tools::parallel_ranges(m.count(), 1 << 16, [&](index first, index last) {
        for (index i = first; i < last; ++i) {
            const double wanted = size / typical(f) * spread(key, i);
            if (has_powers(f))
                reinterpret_cast<std::uint8_t*>(to.data())[i] =
                    std::uint8_t(std::clamp(127 + int(std::lround(std::log2(wanted))), 0, 254));
            else
                m.type->encode(&wanted, to.data() + i * m.type->bytes, 1);
        }
    });
}

/// Zero points from 4 to 11: weights lie on both sides of them.
void fill_zeros(const buffer& to, std::uint64_t key) {
    for (index i = 0; i < index(to.shape().bytes()); ++i) {
        const std::uint64_t drawn = mixed(key + std::uint64_t(i));
        to.data()[i] = std::byte((4 + drawn % 8) | (4 + (drawn >> 8) % 8) << 4);
    }
}

void fill_bits(const buffer& to, std::uint64_t key) {
    const index bytes = index(to.shape().bytes());
    tools::parallel_ranges((bytes + 7) / 8, 1 << 16, [&](index first, index last) {
        for (index i = first; i < last; ++i) {
            const std::uint64_t word = mixed(key + std::uint64_t(i));
            std::memcpy(to.data() + 8 * i, &word, std::size_t(std::min<index>(8, bytes - 8 * i)));
        }
    });
}

/// Where those of a B begin.
index begin_of(const buffer& b, index number) { return number * b.shape().rows * b.shape().columns; }

}  // namespace

double rounded(double x, const element& type) {
    if (x == 0 || !std::isfinite(x)) return x;
    int exponent;
    std::frexp(x, &exponent);
    const double step = std::max(std::ldexp(type.unit, exponent), type.min);
    const double near = std::nearbyint(x / step) * step;
    return std::abs(near) > type.max ? std::copysign(INFINITY, near) : near;
}

index group_of(kind f) { return in_words(f) ? 128 : f == kind::int8_rows ? 0 : f == kind::nvfp4 ? 16 : 32; }

std::vector<matrix> weight_matrices(kind f, index n, index k, index count) {
    using enum fade::dtype;
    const index groups = group_of(f) ? (k + group_of(f) - 1) / group_of(f) : 1;
    if (in_words(f))
        return {f == kind::gptq ? packed("weights", &type(i32), count, k / 8, n)
                                : packed("weights", &type(i32), count, k, n / 8),
                packed("scales", &type(f16), count, groups, n),
                packed("zeros", &type(i32), count, groups, n / 8)};
    const element& stored = type(f == kind::mxfp8 ? f8e4m3 : i8);
    const element& scale = type(f == kind::int8_rows ? f32 : f == kind::nvfp4 ? f8e4m3 : i8);
    matrix weights = packed("weights", &stored, count, n, has_nibbles(f) ? k / 2 : k);
    if (f == kind::mxfp8) weights.scale = typical(f);
    return {std::move(weights), packed("scales", &scale, count, n, groups)};
}

void fill_weights(kind f, const buffer& to, double size, std::uint64_t seed) {
    const matrix& m = to.shape();
    if (m.empty()) return;
    const std::uint64_t key = mixed(mixed(seed) ^ hash_of(m.name.data(), m.name.size()));
    if (m.name == "scales") return fill_scales(f, to, size, key);
    if (m.name == "zeros") return fill_zeros(to, key);
    f == kind::mxfp8 ? fill(to, seed, 0) : fill_bits(to, key);
}

weight_reader::weight_reader(kind f, const buffer_set& from, const element& t, index n, index k, index number)
    : format_(f), weights_(*from.find("weights")), scales_(*from.find("scales")), zeros_(from.find("zeros")),
      type_(t), n_(n), k_(k), group_(group_of(f) ? group_of(f) : std::max<index>(k, 1)), number_(number) {}

double weight_reader::element_at(index p, index j) const {
    const index begin = begin_of(weights_, number_);
    switch (format_) {
    case kind::gptq:
        return nibble(read<std::uint32_t>(weights_, begin + p / 8 * n_ + j), int(p % 8));
    case kind::awq:
        return nibble(read<std::uint32_t>(weights_, begin + p * (n_ / 8) + j / 8), awq_place[j % 8]);
    case kind::mxfp4:
    case kind::nvfp4:
        return e2m1(read<std::uint8_t>(weights_, begin + j * (k_ / 2) + p / 2) >> (p % 2 * 4) & 15);
    default:
        return number(weights_, begin + j * k_ + p);
    }
}

/// GPTQ stores one less.
double weight_reader::zero_at(index g, index j) const {
    if (!zeros_) return 0;
    const auto word = read<std::uint32_t>(*zeros_, begin_of(*zeros_, number_) + g * (n_ / 8) + j / 8);
    return format_ == kind::gptq ? nibble(word, int(j % 8)) + 1 : nibble(word, awq_place[j % 8]);
}

double weight_reader::scale_at(index g, index j) const {
    const index begin = begin_of(scales_, number_);
    if (in_words(format_)) return number(scales_, begin + g * n_ + j);
    const index at = begin + j * scales_.shape().columns + g;
    return has_powers(format_) ? std::ldexp(1.0, read<std::uint8_t>(scales_, at) - 127) : number(scales_, at);
}

void weight_reader::operator()(index first, index count, double* to) const {
    for (index g = 0; g * group_ < k_; ++g) {
        double scale[64], zero[64];
        for (index c = 0; c < count; ++c) scale[c] = scale_at(g, first + c), zero[c] = zero_at(g, first + c);
        for (index p = g * group_; p < std::min(k_, (g + 1) * group_); ++p)
            for (index c = 0; c < count; ++c)
                to[c * k_ + p] = rounded(float(scale[c] * (element_at(p, first + c) - zero[c])), type_);
    }
}

}  // namespace fade::bench

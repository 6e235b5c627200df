#include "inputs.hpp"
#include "../common/parallel.hpp"
#include "hash.hpp"
#include <algorithm>
#include <cmath>
#include <numbers>

namespace fade::bench {
namespace {

constexpr double max_integer = 1000;

/// A number in (0, 1] of stream `key`.
double uniform(std::uint64_t key, std::uint64_t place) {
    return double((mixed(key + place * 0x9e3779b97f4a7c15u) >> 11) + 1) * 0x1p-53;
}

/// Elements [first, last) of the normal numbers of stream `key`, by Box and Muller: two of each pair of
/// uniform ones.
void normals(std::uint64_t key, index first, index last, double scale, double* to) {
    for (index i = first & ~index(1); i < last; i += 2) {
        const double radius = scale * std::sqrt(-2 * std::log(uniform(key, std::uint64_t(i))));
        const double angle = 2 * std::numbers::pi * uniform(key, std::uint64_t(i) + 1);
        if (i >= first) to[i - first] = radius * std::cos(angle);
        if (i + 1 < last) to[i + 1 - first] = radius * std::sin(angle);
    }
}

/// Whole numbers from -limit to limit, all as likely.
void whole_numbers(std::uint64_t key, index first, index last, double limit, double* to) {
    for (index i = first; i < last; ++i)
        to[i - first] = std::ceil(uniform(key, std::uint64_t(i)) * (2 * limit + 1)) - 1 - limit;
}

}  // namespace

void fill(const buffer& to, std::uint64_t seed, index group) {
    const matrix& m = to.shape();
    if (m.empty()) return;
    const std::uint64_t key =
        mixed(mixed(seed) ^ hash_of(m.name.data(), m.name.size()) ^ mixed(std::uint64_t(group)));
    constexpr index piece = 1024;
    const index pieces = (m.columns + piece - 1) / piece;
    const auto fill_piece = [&](index i) {
        double values[piece];
        const index row = i / pieces, first = i % pieces * piece, last = std::min(m.columns, first + piece);
        const index at = row * m.columns;
        if (m.type->integer)
            whole_numbers(key, at + first, at + last, std::min(m.type->max, max_integer), values);
        else
            normals(key, at + first, at + last, m.scale, values);
        m.type->encode(values, to.data() + (row * m.row + first) * m.type->bytes, last - first);
    };
    const index all = m.batch * m.rows * pieces,
                grain = std::max<index>(1, piece * 16 / std::min(piece, m.columns));
    tools::parallel_ranges(all, grain, [&](index from, index until) {
        for (index i = from; i < until; ++i) fill_piece(i);
    });
}

std::vector<index> some_of(index limit, index count, std::uint64_t seed) {
    std::vector<index> out;
    count = std::min(limit, count);
    for (index i = 0; i < count; ++i) {
        const index first = i * limit / count, last = (i + 1) * limit / count;
        out.push_back(first + index((1 - uniform(mixed(seed), std::uint64_t(i))) * double(last - first)));
    }
    return out;
}

}  // namespace fade::bench

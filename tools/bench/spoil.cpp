#include "spoil.hpp"
#include "../common/command_line.hpp"
#include "../common/numbers.hpp"
#include "hash.hpp"
#include <algorithm>
#include <cmath>

namespace fade::bench {
namespace {

[[noreturn]] void refuse(std::string_view word, const std::vector<std::string_view>& written) {
    throw tools::refusal("--spoil is " + tools::quoted(word) +
                         ", but must be outside, fault, or BUFFER=X, of " + tools::listed(written) +
                         ", where X is a number beside 0, or nan.");
}

/// The place in memory of element i of a matrix without gaps.
index place(const matrix& m, index i) { return i / m.columns * m.row + i % m.columns; }

double element_at(const buffer& b, index i) {
    double out;
    b.shape().type->decode(b.data(), place(b.shape(), i), 1, 1, &out);
    return out;
}

double norm_of(const buffer& b, index count) {
    double sum = 0;
    for (index i = 0; i < count; ++i)
        if (const double x = element_at(b, i); std::isfinite(x)) sum += x * x;
    return std::sqrt(sum);
}

/// From the place of the seed on, the first number that is small beside all: a change by little is little in
/// the output's type there. Where none is, the smallest; what is no number was not written. -1: there is
/// none.
index small_number(const buffer& b, index count, std::uint64_t seed) {
    const double small = norm_of(b, count) / 8;
    index found = -1;
    double smallest = INFINITY;
    for (index tried = 0; tried < count; ++tried) {
        const index i = index((mixed(seed) + std::uint64_t(tried)) % std::uint64_t(count));
        const double x = std::abs(element_at(b, i));
        if (x <= small) return i;
        if (x < smallest) smallest = x, found = i;
    }
    return found;
}

void change_element(const buffer& b, double by, std::uint64_t seed) {
    const matrix& m = b.shape();
    const index count = m.batch * m.rows * m.columns, i = small_number(b, count, seed);
    if (i < 0) throw tools::refusal("--spoil finds no number in " + m.name + ".");
    const double change = by * norm_of(b, count);
    const double whole = std::copysign(std::max(1.0, std::ceil(std::abs(change))), change);
    const double now = element_at(b, i) + (m.type->integer ? whole : change);
    m.type->encode(&now, b.data() + place(m, i) * m.type->bytes, 1);
}

/// One byte behind the last.
void write_behind(const buffer& b) { b.data()[b.shape().bytes()] = std::byte{0}; }

}  // namespace

spoil parse_spoil(std::string_view word, const std::vector<std::string_view>& written) {
    const std::string given(word);
    if (word == "outside") return {.what = spoil::kind::outside, .given = given};
    if (word == "fault") return {.what = spoil::kind::fault, .given = given};
    const std::size_t equals = word.find('=');
    if (equals == word.npos || !std::ranges::count(written, word.substr(0, equals))) refuse(word, written);
    double by = 0;
    const std::string_view number = word.substr(equals + 1);
    if (number == "nan")
        by = NAN;
    else if (!tools::is_number(number, by) || !std::isfinite(by) || by == 0)
        refuse(word, written);
    return {.given = given, .buffer = std::string(word.substr(0, equals)), .by = by};
}

void make_wrong(const std::optional<spoil>& how, const buffer_set& buffers, std::uint64_t seed) {
    if (!how || how->what == spoil::kind::fault) return;
    for (const buffer& b : buffers.all()) {
        if (!b.shape().written) continue;
        if (how->what == spoil::kind::outside) return write_behind(b);
        if (b.shape().name == how->buffer) return change_element(b, how->by, seed);
    }
}

std::vector<std::string> with_spoilt(std::vector<std::string> faults, const std::optional<spoil>& how) {
    if (how && how->what == spoil::kind::fault) faults.push_back("this one was asked for by --spoil");
    return faults;
}

}  // namespace fade::bench

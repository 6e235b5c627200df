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

/// From the place of the seed on, the first element that is a number: others were not written.
void change_element(const buffer& b, double by, std::uint64_t seed) {
    const matrix& m = b.shape();
    const index count = m.batch * m.rows * m.columns;
    for (index tried = 0, i = count ? index(mixed(seed) % std::uint64_t(count)) : 0; tried < count;
         ++tried, i = (i + 1) % count) {
        const double x = element_at(b, i), change = by * norm_of(b, count);
        if (!std::isfinite(x)) continue;
        const double whole = std::copysign(std::max(1.0, std::ceil(std::abs(change))), change);
        const double now = x + (m.type->integer ? whole : change);
        m.type->encode(&now, b.data() + place(m, i) * m.type->bytes, 1);
        return;
    }
    throw tools::refusal("--spoil finds no number in " + m.name + ".");
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

// Words and numbers joined in one piece of memory.
#pragma once
#include <fade/core/namespace.hpp>
#include <string>
#include <string_view>
#include <type_traits>

namespace FADE_NAMESPACE {

namespace detail {

/// A part of a sentence; a number is written out.
class word {
public:
    word(std::string_view text) : text_(text) {}
    word(const char* text) : text_(text) {}
    word(const std::string& text) : text_(text) {}
    template <class N>
        requires(std::is_integral_v<N> && !std::is_same_v<N, bool>)
    word(N n) {
        using natural = unsigned long long;
        bool negative = false;
        if constexpr (std::is_signed_v<N>) negative = n < 0;
        write(negative ? 0 - static_cast<natural>(n) : static_cast<natural>(n), negative);
    }
    word(const word&) = delete;
    word& operator=(const word&) = delete;
    std::string_view text() const { return text_; }

private:
    /// For all types of numbers, so that it is compiled once and not wherever a number is said.
    void write(unsigned long long left, bool negative) {
        char* first = digits_ + sizeof digits_;
        do *--first = char('0' + left % 10);
        while (left /= 10);
        if (negative) *--first = '-';
        text_ = {first, std::size_t(digits_ + sizeof digits_ - first)};
    }
    char digits_[24] = {};
    std::string_view text_;
};

inline std::string joined(std::initializer_list<std::string_view> parts) {
    std::size_t size = 0;
    for (const auto part : parts) size += part.size();
    std::string out;
    out.reserve(size);
    for (const auto part : parts) out += part;
    return out;
}

}  // namespace detail

/// The parts one behind the other: what every call says of itself should cost it little.
template <class... Parts>
std::string words(const Parts&... parts) {
    return detail::joined({detail::word(parts).text()...});
}

}  // namespace FADE_NAMESPACE

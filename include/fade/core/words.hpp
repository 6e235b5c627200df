// Words and numbers joined in one piece of memory.
#pragma once
#include <charconv>
#include <concepts>
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
    template <std::integral N>
        requires(!std::same_as<N, bool>)
    word(N n) {
        using widest = std::conditional_t<std::is_signed_v<N>, long long, unsigned long long>;
        write(widest(n));
    }
    word(const word&) = delete;
    word& operator=(const word&) = delete;
    std::string_view text() const { return text_; }

private:
    /// For all types of numbers, so that it is compiled twice and not wherever a number is said.
    template <class N>
    void write(N n) {
        text_ = {digits_, std::size_t(std::to_chars(digits_, digits_ + sizeof digits_, n).ptr - digits_)};
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

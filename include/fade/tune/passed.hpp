// The words for policies that callers pass in place of the table's.
#pragma once
#include <fade/core/error.hpp>
#include <fade/core/shape.hpp>
#include <string>
#include <string_view>

namespace FADE_NAMESPACE::tune {

namespace detail {
inline std::string field_in_words(int value) { return std::to_string(value); }
inline std::string field_in_words(const tile_shape& t) {
    return std::to_string(t.m) + "x" + std::to_string(t.n) + (t.k ? "x" + std::to_string(t.k) : "");
}
template <class Choice>
    requires std::is_enum_v<Choice>
std::string field_in_words(Choice value) {
    return name(value);
}
}  // namespace detail

/// "block_tile 128x128x32, wave_tile 64x64, ..."
template <class Policy>
std::string in_words(const Policy& policy) {
    std::string out;
    each_field(policy, [&](const char* name, const auto& value) {
        out += (out.empty() ? "" : ", ") + std::string(name) + " " + detail::field_in_words(value);
    });
    return out;
}

/// What a passed policy rests on is not known here.
inline std::string passed_evidence(std::string_view arch) {
    return "none: the caller passed this policy, and nobody audited or measured it on " + std::string(arch);
}

/// A device that learns its architecture at run time may have one that the policy is not for.
template <class Policy>
[[noreturn]] void refuse_passed(const Policy& policy, std::string_view arch) {
    throw error("policy", in_words(policy),
                std::string(arch) + " cannot run it: compiled for that architecture, the compiler says why");
}

}  // namespace FADE_NAMESPACE::tune

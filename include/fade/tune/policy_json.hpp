// Policies as text: every field by its name, in one spelling, so that equal policies have equal texts.
#pragma once
#include <cstring>
#include <fade/core/shape.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace FADE_NAMESPACE::tune {

/// How many values an enumeration of policies has, from 0 on. Each has a name().
template <class Choice>
inline constexpr int choices = 0;

namespace detail {

inline std::string json_value(int value) { return std::to_string(value); }
inline std::string json_value(bool value) { return value ? "true" : "false"; }
inline std::string json_value(const tile_shape& t) {
    return "[" + std::to_string(t.m) + "," + std::to_string(t.n) + "," + std::to_string(t.k) + "]";
}
template <class Choice>
    requires std::is_enum_v<Choice>
std::string json_value(Choice value) {
    return "\"" + std::string(name(value)) + "\"";
}

/// Reads what json_value wrote, and nothing else.
class policy_reader {
public:
    explicit policy_reader(std::string_view text) : left_(text) {}

    bool take(std::string_view what) {
        if (!left_.starts_with(what)) return false;
        left_.remove_prefix(what.size());
        return true;
    }
    bool at_end() const { return left_.empty(); }

    bool read(int& value) {
        constexpr std::size_t max_digits = 9;
        std::size_t digits = 0;
        value = 0;
        while (digits < left_.size() && left_[digits] >= '0' && left_[digits] <= '9' && digits <= max_digits)
            value = digits < max_digits ? value * 10 + (left_[digits] - '0') : value, ++digits;
        const bool spelled_so = digits == 1 || (digits > 1 && left_[0] != '0');
        if (!spelled_so || digits > max_digits) return false;
        left_.remove_prefix(digits);
        return true;
    }
    bool read(bool& value) { return value = take("true"), value || take("false"); }
    bool read(tile_shape& t) {
        return take("[") && read(t.m) && take(",") && read(t.n) && take(",") && read(t.k) && take("]");
    }
    template <class Choice>
        requires std::is_enum_v<Choice>
    bool read(Choice& value) {
        static_assert(choices<Choice> > 0, "tune::choices says how many values an enumeration has");
        for (int i = 0; i < choices<Choice>; ++i)
            if (take(json_value(Choice(i)))) return value = Choice(i), true;
        return false;
    }

private:
    std::string_view left_;
};

}  // namespace detail

/// {"block_tile":[128,128,32],...}, of a type for which each_field() calls f(name, value).
template <class Policy>
std::string policy_json(const Policy& policy) {
    std::string out;
    each_field(policy, [&](const char* name, const auto& value) {
        out += (out.empty() ? "{\"" : ",\"") + std::string(name) + "\":" + detail::json_value(value);
    });
    return out + "}";
}

/// The policy of a text that policy_json wrote; nothing for any other text.
template <class Policy>
std::optional<Policy> read_policy(std::string_view text) {
    Policy out{};
    detail::policy_reader in(text);
    bool good = in.take("{"), first = true;
    each_field(out, [&](const char* name, const auto& value) {
        using field = std::remove_cvref_t<decltype(value)>;
        good = good && in.take(first ? "\"" : ",\"") && in.take(name) && in.take("\":") &&
               in.read(const_cast<field&>(value));  // `out` is no constant: each_field shows it as one
        first = false;
    });
    if (!good || !in.take("}") || !in.at_end()) return std::nullopt;
    return out;
}

/// Can this be a policy of any operation? Letters of JSON without blanks, between braces.
inline bool looks_like_policy(std::string_view text) {
    if (text.size() < 2 || text.front() != '{' || text.back() != '}') return false;
    for (const char c : text)
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && !(c && std::strchr("_\",:[]{}", c)))
            return false;
    return true;
}

}  // namespace FADE_NAMESPACE::tune

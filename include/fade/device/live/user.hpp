// What the user knows better: FADE_GFX, FADE_CU_COUNT and FADE_L2_BYTES for every device, a file named in
// FADE_CONFIG for each.
#pragma once
#include <cstdlib>
#include <fade/core/error.hpp>
#include <fade/device/live/tree.hpp>
#include <fade/device/truth/architecture.hpp>
#include <fade/device/truth/readings.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace FADE_NAMESPACE::live {

namespace detail {

constexpr std::uint64_t max_units = 4096, max_cache = std::uint64_t(1) << 40;

inline std::string_view without_space(std::string_view s) {
    while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
    while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r')) s.remove_suffix(1);
    return s;
}

/// Fit for a sentence: in quotes, short, on one line.
inline std::string in_quotes(std::string_view s) {
    std::string out = "'";
    for (char c : s.substr(0, 60)) out += c >= ' ' && c < 127 ? c : '?';
    return out + "'";
}

inline std::uint64_t whole(const std::string& where, std::string_view value, std::uint64_t max) {
    const auto n = tree::number_of(value);
    if (!n || *n == 0 || *n > max)
        throw error(where, in_quotes(value), "it must be a whole number from 1 to " + std::to_string(max));
    return *n;
}

inline std::string known_gfx(const std::string& where, std::string_view value) {
    if (!truth::find_architecture(value))
        throw error(where, in_quotes(value),
                    "FADE knows no AMD architecture of that name; an example is gfx1030");
    return std::string(value);
}

/// False where there is no such key.
inline bool set(truth::user_reading& to, std::string_view key, std::string_view value,
                const std::string& where) {
    if (key == "gfx")
        to.gfx = known_gfx(where, value);
    else if (key == "cu_count")
        to.cu_count = whole(where, value, max_units);
    else if (key == "l2_bytes")
        to.l2_bytes = whole(where, value, max_cache);
    else
        return false;
    return true;
}

/// What `more` says stands; `to` answers for the rest.
inline void lay_over(truth::user_reading& to, const truth::user_reading& more) {
    if (more.gfx) to.gfx = more.gfx;
    if (more.cu_count) to.cu_count = more.cu_count;
    if (more.l2_bytes) to.l2_bytes = more.l2_bytes;
}

}  // namespace detail

/// Sections by PCI address, with or without the function; the first, without an address, is for every device.
class user_config {
public:
    user_config() : sections_(1) {}

    /// Lines `key = value`, `[0000:03:00.0]` and `# comments`. Throws fade::error at the first line that is
    /// none of them.
    static user_config parse(std::string_view text, const std::string& name) {
        user_config out;
        for (std::size_t line = 1; !text.empty(); ++line) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            out.take(detail::without_space(text.substr(0, end)), name + ":" + std::to_string(line));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        return out;
    }

    /// Of the device at an address such as 0000:03:00.0: what is said of all, then of its card, then of its
    /// function.
    truth::user_reading of(std::string_view slot) const {
        truth::user_reading out = sections_.front().second;
        const std::string_view card = slot.substr(0, slot.rfind('.'));
        for (const std::string_view at : {card, slot})
            for (const auto& [address, said] : sections_)
                if (!address.empty() && address == at) detail::lay_over(out, said);
        return out;
    }

private:
    void take(std::string_view row, const std::string& where) {
        if (row.empty() || row.front() == '#') return;
        const std::size_t equals = row.find('=');
        if (row.front() == '[' && row.back() == ']' && is_address(row.substr(1, row.size() - 2)))
            return sections_.push_back({std::string(row.substr(1, row.size() - 2)), {}});
        const bool pair = equals != std::string_view::npos &&
                          detail::set(sections_.back().second, detail::without_space(row.substr(0, equals)),
                                      detail::without_space(row.substr(equals + 1)), where);
        if (!pair)
            throw error(where, detail::in_quotes(row),
                        "a line is a PCI address such as [0000:03:00.0], or gfx, cu_count or l2_bytes with = "
                        "and a value");
    }

    /// 0000:03:00 or 0000:03:00.0, as the kernel prints them.
    static bool is_address(std::string_view s) {
        constexpr std::string_view form = "dddd:dd:dd.d";
        for (std::size_t i = 0; i < s.size() && i < form.size(); ++i) {
            const bool digit = (s[i] >= '0' && s[i] <= '9') || (s[i] >= 'a' && s[i] <= 'f');
            if (form[i] == 'd' ? !digit : s[i] != form[i]) return false;
        }
        return s.size() == form.size() || s.size() == form.size() - 2;
    }

    std::vector<std::pair<std::string, truth::user_reading>> sections_;
};

namespace detail {

/// The environment as it stands; a program with more rights than its user does not look at it.
struct process_environment {
    const char* operator()(const char* name) const {
#ifdef __linux__
        return ::secure_getenv(name);
#else
        return std::getenv(name);
#endif
    }
};

}  // namespace detail

/// The file that FADE_CONFIG names; empty where it names none. `variable` gives the value of a variable, or
/// null.
template <class Environment = detail::process_environment>
user_config read_config(const Environment& variable = {}) {
    const char* path = variable("FADE_CONFIG");
    if (!path || !*path) return {};
    const auto text = tree(*path == '/' ? "" : ".").text(path);
    if (!text) throw error("FADE_CONFIG", detail::in_quotes(path), "there is no such file that can be read");
    return user_config::parse(*text, path);
}

/// What the user says of the device at an address: the file, and over it the variables.
template <class Environment = detail::process_environment>
truth::user_reading read_user(const user_config& config, std::string_view slot,
                              const Environment& variable = {}) {
    truth::user_reading out = config.of(slot);
    constexpr std::pair<const char*, const char*> variables[] = {
        {"FADE_GFX", "gfx"}, {"FADE_CU_COUNT", "cu_count"}, {"FADE_L2_BYTES", "l2_bytes"}};
    for (const auto& [name, key] : variables)
        if (const char* value = variable(name); value && *value) detail::set(out, key, value, name);
    return out;
}

}  // namespace FADE_NAMESPACE::live

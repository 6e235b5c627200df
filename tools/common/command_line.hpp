// A strict reader of options: every word is understood, or the line is refused.
#pragma once
#include "refusal.hpp"
#include <algorithm>
#include <fade/core/version.hpp>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fade::tools {

/// An option of a program. One without a `value` is a flag; one whose value stands in brackets may be given
/// without.
struct option {
    std::string_view name;
    std::string_view value;
    std::string_view help;
};

/// The options given, each at most once: `--name value`, `--name=value` or, for a flag or without an optional
/// value, `--name`.
class command_line {
public:
    command_line(std::string program, std::span<const option> known, std::span<const std::string_view> words)
        : program_(std::move(program)) {
        for (std::size_t at = 0; at < words.size();) at += take(known, words.subspan(at));
    }

    bool has(std::string_view name) const { return given_.count(name); }

    std::optional<std::string_view> get(std::string_view name) const {
        const auto found = given_.find(name);
        return found == given_.end() ? std::nullopt : std::optional(found->second);
    }

    /// The value of an option that must be given.
    std::string_view need(std::string_view name) const {
        if (!has(name))
            throw refusal(program_ + " needs --" + std::string(name) + "; --help lists the options.");
        return given_.find(name)->second;
    }

    /// The same, but for the value of one option that is there.
    command_line with(std::string_view name, std::string_view value) const {
        command_line out = *this;
        out.given_.find(name)->second = value;
        return out;
    }

private:
    /// Reads one option; the number of words that it takes.
    std::size_t take(std::span<const option> known, std::span<const std::string_view> words) {
        const std::string_view word = words[0], name = word.substr(0, word.find('='));
        const option& found = known_option(known, name);
        if (given_.count(found.name)) throw refusal("--" + std::string(found.name) + " is given twice.");
        const bool joined = name.size() < word.size(), flag = found.value.empty();
        if (joined && flag) throw refusal("--" + std::string(found.name) + " is a flag and takes no value.");
        const bool alone =
            flag || (found.value[0] == '[' && (words.size() < 2 || words[1].starts_with("--")));
        if (!joined && !alone && words.size() < 2)
            throw refusal("--" + std::string(found.name) + " needs a value (" + std::string(found.value) +
                          ").");
        given_[found.name] = joined ? word.substr(name.size() + 1) : alone ? std::string_view() : words[1];
        return joined || alone ? 1 : 2;
    }

    const option& known_option(std::span<const option> known, std::string_view name) const {
        if (name.starts_with("--"))
            for (const option& o : known)
                if (name.substr(2) == o.name) return o;
        throw refusal(quoted(name) + " is no option of " + program_ + "; --help lists them.");
    }

    std::string program_;
    std::map<std::string_view, std::string_view> given_;
};

/// The lines of a --help for these options.
inline std::string help_lines(std::span<const option> known) {
    std::string out;
    for (const option& o : known) {
        std::string head = "  --" + std::string(o.name) + (o.value.empty() ? "" : " " + std::string(o.value));
        head.resize(std::max<std::size_t>(head.size() + 2, 26), ' ');
        out += head + std::string(o.help) + "\n";
    }
    return out;
}

/// Do these words ask for a --help?
inline bool asks_for_help(std::span<const std::string_view> words) {
    return std::ranges::count(words, "--help") > 0 || std::ranges::count(words, "-h") > 0;
}

inline bool asks_for_version(std::span<const std::string_view> words) {
    return std::ranges::count(words, "--version") > 0;
}

/// "fade-bench 0.1.0"
inline int print_version(const char* program) {
    std::printf("%s %s\n", program, FADE_VERSION);
    return done;
}

/// "a, b and c"
template <class Words>
std::string listed(const Words& words, std::string_view last = "and") {
    std::string out;
    std::size_t at = 0;
    for (const auto& w : words) {
        if (at) out += at + 1 == std::size(words) ? " " + std::string(last) + " " : ", ";
        out += w;
        ++at;
    }
    return out;
}

}  // namespace fade::tools

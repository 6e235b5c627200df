// Small text files below a folder, such as /sys: read, never written; what is absent or malformed is empty.
#pragma once
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fade/core/namespace.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace FADE_NAMESPACE::live {

class tree {
public:
    explicit tree(std::string root) : root_(std::move(root)) {}

    const std::string& root() const { return root_; }
    bool holds(const std::string& path) const {
        std::error_code failure;
        return std::filesystem::exists(root_ + "/" + path, failure);
    }

    /// The names in a folder, sorted; at most 4096.
    std::vector<std::string> list(const std::string& path) const {
        std::vector<std::string> out;
        std::error_code failure;
        std::filesystem::directory_iterator at(root_ + "/" + path, failure), end;
        for (; !failure && at != end && out.size() < 4096; at.increment(failure))
            out.push_back(at->path().filename().string());
        std::ranges::sort(out);
        return out;
    }

    /// The first line, without what surrounds it.
    std::optional<std::string> line(const std::string& path) const {
        const auto all = text(path);
        if (!all) return {};
        std::string out = all->substr(0, all->find('\n'));
        while (!out.empty() && (out.back() == ' ' || out.back() == '\r' || out.back() == '\0'))
            out.pop_back();
        return out;
    }

    std::optional<std::string> text(const std::string& path) const {
        std::error_code failure;
        if (!std::filesystem::is_regular_file(root_ + "/" + path, failure)) return {};
        std::ifstream in(root_ + "/" + path, std::ios::binary);
        if (!in) return {};
        std::string out(std::size_t(1) << 20, '\0');
        in.read(out.data(), std::streamsize(out.size()));
        out.resize(std::size_t(in.gcount()));
        return out;
    }

    /// A whole number, decimal or behind 0x.
    static std::optional<std::uint64_t> number_of(std::string_view word) {
        const bool hex = word.starts_with("0x");
        if (hex) word.remove_prefix(2);
        std::uint64_t value = 0;
        const auto [end, failure] =
            std::from_chars(word.data(), word.data() + word.size(), value, hex ? 16 : 10);
        return failure == std::errc() && end == word.data() + word.size() ? std::optional(value)
                                                                          : std::nullopt;
    }
    std::optional<std::uint64_t> number(const std::string& path) const {
        const auto word = line(path);
        return word ? number_of(*word) : std::nullopt;
    }

    /// Lines "name value", as the kernel's topology prints them.
    std::map<std::string, std::uint64_t> properties(const std::string& path) const {
        std::map<std::string, std::uint64_t> out;
        const std::string all = text(path).value_or("");
        for (std::size_t at = 0; at < all.size() && out.size() < 1024;) {
            const std::size_t end = std::min(all.find('\n', at), all.size());
            const std::string row = all.substr(at, end - at);
            const std::size_t gap = row.find(' ');
            if (gap != std::string::npos)
                if (const auto value = number_of(std::string_view(row).substr(gap + 1)))
                    out.emplace(row.substr(0, gap), *value);
            at = end + 1;
        }
        return out;
    }

private:
    std::string root_;
};

}  // namespace FADE_NAMESPACE::live

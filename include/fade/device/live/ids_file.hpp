// amdgpu.ids, the id table of libdrm: device and revision to marketing name.
#pragma once
#include <algorithm>
#include <cstdint>
#include <fade/device/live/tree.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace FADE_NAMESPACE::live {

namespace detail {

inline std::string_view trimmed(std::string_view s) {
    while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
    while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r')) s.remove_suffix(1);
    return s;
}

/// The part before the next comma; `row` keeps what follows.
inline std::string_view cell(std::string_view& row) {
    const std::size_t comma = row.find(',');
    const std::string_view out = trimmed(row.substr(0, comma));
    row = comma == std::string_view::npos ? std::string_view() : row.substr(comma + 1);
    return out;
}

}  // namespace detail

/// The first row that matches. Unlike libdrm, one malformed row does not cost all others their names.
inline std::optional<std::string> marketing_name(std::string_view table, std::uint64_t device,
                                                 std::uint64_t revision) {
    while (!table.empty()) {
        const std::size_t end = std::min(table.find('\n'), table.size());
        std::string_view row = table.substr(0, end);
        table.remove_prefix(std::min(end + 1, table.size()));
        if (row.starts_with('#')) continue;
        const auto id = tree::number_of("0x" + std::string(detail::cell(row))),
                   rev = tree::number_of("0x" + std::string(detail::cell(row)));
        if (id && rev && *id == device && *rev == revision && !detail::trimmed(row).empty())
            return std::string(detail::trimmed(row));
    }
    return {};
}

}  // namespace FADE_NAMESPACE::live

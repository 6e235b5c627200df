// Figures for people: three significant digits, and a unit in which they are short.
#pragma once
#include <cmath>
#include <cstdio>
#include <span>
#include <string>

namespace fade::tools {

/// x to three significant digits: 0.0123, 1.23, 123, 12300; far from 1 as 1.23e-07.
inline std::string figures(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2e", x);  // rounds, so that the exponent is that of what is shown
    const std::string short_form(text);
    const std::size_t e = short_form.find('e');
    if (e == std::string::npos) return short_form;  // infinite, or no number
    const int exponent = std::stoi(short_form.substr(e + 1));
    if (x != 0 && (exponent < -3 || exponent > 5)) return short_form;
    std::snprintf(text, sizeof text, "%.*f", exponent < 2 ? 2 - exponent : 0, std::stod(short_form));
    return text;
}

/// A unit, and how many of the base unit it is.
struct unit {
    double size;
    const char* name;
};

/// x in the largest of these units, smallest first, in which it is at least 1.
inline std::string in_units(double x, std::span<const unit> units) {
    const unit* best = &units[0];
    for (const unit& u : units)
        if (std::abs(x) >= u.size * 0.9995) best = &u;  // what rounds to 1000 of a unit is 1 of the next
    return figures(x / best->size) + " " + best->name;
}

/// Milliseconds as "921 ns", "92.1 us", "9.21 ms" or "9.21 s".
inline std::string in_time(double ms) {
    constexpr unit units[] = {{1e-6, "ns"}, {1e-3, "us"}, {1, "ms"}, {1e3, "s"}};
    return in_units(ms, units);
}

/// 10^12 operations a second as "364 GFLOP/s" or "1.21 TFLOP/s".
inline std::string in_rate(double tflops) {
    constexpr unit units[] = {
        {1e-9, "kFLOP/s"}, {1e-6, "MFLOP/s"}, {1e-3, "GFLOP/s"}, {1, "TFLOP/s"}, {1e3, "PFLOP/s"}};
    return in_units(tflops, units);
}

/// 10^9 bytes a second as "364 MB/s" or "1.21 TB/s".
inline std::string in_bandwidth(double gbps) {
    constexpr unit units[] = {{1e-6, "kB/s"}, {1e-3, "MB/s"}, {1, "GB/s"}, {1e3, "TB/s"}};
    return in_units(gbps, units);
}

/// A text in a column: at least so wide, at its right end or at its left.
inline std::string at_right(const std::string& text, std::size_t width) {
    return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}
inline std::string at_left(const std::string& text, std::size_t width) {
    return text.size() < width ? text + std::string(width - text.size(), ' ') : text;
}

}  // namespace fade::tools

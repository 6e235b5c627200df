#include "table.hpp"
#include <algorithm>
#include <cstdio>

namespace fade::doctor {
namespace {

std::string words(std::uint64_t v) { return std::to_string(v); }
std::string words(const std::string& v) { return v; }
std::string words(double v) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", v);
    return text;
}
std::string words(const std::vector<std::uint64_t>& v) {
    std::string out;
    for (std::uint64_t n : v) out += (out.empty() ? "" : " or ") + std::to_string(n);
    return out;
}

/// Bytes as people say them, where the name says that they are bytes.
std::string value_of(const char* name, std::uint64_t v) {
    if (std::string_view(name).find("bytes") == std::string_view::npos) return words(v);
    constexpr const char* units[] = {" B", " KiB", " MiB", " GiB", " TiB"};
    double n = double(v);
    int unit = 0;
    while (n >= 1024 && unit < 4) n /= 1024, ++unit;
    char text[32];
    std::snprintf(text, sizeof text, unit && n != double(long(n)) ? "%.2f%s" : "%.0f%s", n, units[unit]);
    return text;
}
template <class T>
std::string value_of(const char*, const T& v) {
    return words(v);
}

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text + " ";
}

class painter {
public:
    explicit painter(bool on) : on_(on) {}
    std::string bold(const std::string& s) const { return paint("1", s); }
    std::string good(const std::string& s) const { return paint("32", s); }
    std::string changed(const std::string& s) const { return paint("33", s); }
    std::string bad(const std::string& s) const { return paint("31", s); }
    std::string faint(const std::string& s) const { return paint("2", s); }

private:
    std::string paint(const char* code, const std::string& s) const {
        return on_ ? std::string("\033[") + code + "m" + s + "\033[0m" : s;
    }
    bool on_;
};

/// Text from outside, fit for a terminal.
std::string safe(const std::string& text) {
    std::string out;
    for (char c : text.substr(0, 200)) out += static_cast<unsigned char>(c) < ' ' || c == 127 ? '?' : c;
    return out;
}

template <class T>
std::string row(const painter& p, const char* name, const truth::field<T>& f) {
    const std::string reported = f.reported ? safe(value_of(name, *f.reported)) : "-";
    const std::string value = f.value ? safe(value_of(name, *f.value)) : "unknown";
    const std::string shown = padded(value, 16);
    return "  " + padded(name, 27) + padded(reported, 14) +
           (f.corrected ? p.changed(shown)
            : f.value   ? p.good(shown)
                        : p.faint(shown)) +
           padded(f.value ? f.source : "", 26) + p.faint(safe(f.why)) + "\n";
}

/// What is not known and was not reported, on one line; each has its reason in the JSON.
std::string unknowns(const painter& p, const device_description& d) {
    std::string names;
    truth::each_trait(d.traits, [&](const char* name, const auto& f) {
        if (!f.value && !f.reported) names += (names.empty() ? "" : ", ") + std::string(name);
    });
    return names.empty() ? "" : "  unknown or not there: " + names + p.faint(" (why: --json)") + "\n";
}

std::string versions(const device_description& d) {
    std::string out;
    for (const auto& [name, version] : d.versions)
        out += (out.empty() ? "  versions: " : ", ") + safe(name) + " " + safe(version);
    return out.empty() ? out : out + "\n";
}

/// What the columns and words of the table mean.
constexpr const char* legend =
    "reported: what programs are told. true: what is, green as reported, yellow corrected. source: who said "
    "it "
    "(derived: computed from\nother rows; tables: FADE's own, of what the architecture fixes and of what is "
    "sold). conflict: two sources disagree, both are kept.\n";

std::string conflicts(const painter& p, const device_description& d) {
    std::string out;
    for (const truth::conflict& c : d.conflicts)
        out += "  " + p.changed("conflict") + " " + c.field + ": " + c.source + " says " + safe(c.said) +
               ", " + c.other_source + " says " + safe(c.other_said) + " (" + safe(c.verdict) + ")\n";
    return out;
}

std::string closing(const painter& p, const device_description& d) {
    std::string out = versions(d) + (d.backend == "host" ? "" : unknowns(p, d)) + conflicts(p, d);
    for (const std::string& note : d.notes) out += "  note: " + safe(note) + "\n";
    if (!d.use.possible)
        out += "  " + p.bad("cannot be used") + ": " + d.use.why + ". What to do: " + d.use.remedy + ".\n";
    const std::string kernels = d.arch == "host"
                                    ? "native kernels; evidence: tests and measurements on this CPU"
                                    : kernels_of(d.arch);
    return out + "  FADE runs: " +
           (kernels.empty() ? "nothing here, for it has no kernels for " +
                                  (d.arch.empty() ? std::string("an unknown architecture") : d.arch)
                            : kernels) +
           "\n";
}

}  // namespace

std::string tables(const std::vector<device_description>& devices, bool colour) {
    const painter p(colour);
    std::string out;
    for (const device_description& d : devices) {
        out += p.bold(safe(d.name)) + "  " + (d.arch.empty() ? "architecture unknown" : d.arch) +
               (d.slot.empty() ? "" : "  " + safe(d.slot)) + "\n";
        if (d.backend != "host")
            out += p.faint("  " + padded("trait", 27) + padded("reported", 14) + padded("true", 16) +
                           padded("source", 26) + "why") +
                   "\n";
        truth::each_trait(d.traits, [&](const char* name, const auto& f) {
            if (f.value || f.reported) out += row(p, name, f);
        });
        out += closing(p, d) + "\n";
    }
    const bool gpu = std::ranges::any_of(devices, [](const auto& d) { return d.backend != "host"; });
    return gpu ? out + p.faint(legend) : out;
}

}  // namespace fade::doctor

#include "section.hpp"
#include <charconv>

namespace fade::doctor {

std::optional<std::uint64_t> section::hex(const char* key) const {
    const auto text = word(key);
    if (!text) return {};
    const char* first = text->data() + (text->starts_with("0x") ? 2 : 0);
    const char* last = text->data() + text->size();
    std::uint64_t value = 0;
    const auto [end, failure] = std::from_chars(first, last, value, 16);
    if (failure != std::errc() || end != last || value > 0xffffffff) refuse(key, "a hexadecimal PCI id");
    return value;
}

std::optional<std::uint64_t>
section::amount(const std::string& key, std::initializer_list<std::pair<const char*, double>> units) const {
    for (const auto& [suffix, factor] : units) {
        const std::string name = key + suffix;
        if (factor == 1 && find(name)) return whole(name.c_str());
        if (const auto value = real(name.c_str())) {
            if (*value * factor >= 9e18) refuse(name, "a quantity that a device can have");
            return std::uint64_t(*value * factor);
        }
    }
    return {};
}

}  // namespace fade::doctor

// A section of a record, read strictly: what is there has the right type, or the record is refused.
#pragma once
#include "common/refusal.hpp"
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

namespace fade::doctor {

using json = nlohmann::json;

class section {
public:
    section(const json& record, const char* name) : name_(name) {
        const auto found = record.find(name);
        if (found == record.end()) return;
        if (!found->is_object()) refuse("", "an object");
        values_ = &*found;
    }

    bool empty() const { return !values_ || values_->empty(); }
    const json* get() const { return values_; }

    std::optional<std::uint64_t> whole(const char* key) const {
        const json* v = find(key);
        if (!v) return {};
        if (!v->is_number_unsigned()) refuse(key, "a whole number from 0 to 2^64 - 1");
        return v->get<std::uint64_t>();
    }
    std::optional<std::string> word(const char* key) const {
        const json* v = find(key);
        if (!v) return {};
        if (!v->is_string()) refuse(key, "a string");
        return v->get<std::string>();
    }
    std::optional<bool> flag(const char* key) const {
        const json* v = find(key);
        if (!v) return {};
        if (!v->is_boolean()) refuse(key, "true or false");
        return v->get<bool>();
    }
    /// A word as it stands; "yes" for true, nothing for false.
    std::optional<std::string> word_or_flag(const char* key) const {
        const json* v = find(key);
        if (!v || !v->is_boolean()) return word(key);
        return v->get<bool>() ? std::optional<std::string>("yes") : std::nullopt;
    }
    std::optional<double> real(const char* key) const {
        const json* v = find(key);
        if (!v) return {};
        if (!v->is_number() || !std::isfinite(v->get<double>()) || v->get<double>() < 0)
            refuse(key, "a number from 0 on");
        return v->get<double>();
    }
    /// Two hexadecimal digits or more behind 0x, as PCI ids are written.
    std::optional<std::uint64_t> hex(const char* key) const;
    /// A quantity under `key`, or under `key` with a suffix that names its unit.
    std::optional<std::uint64_t> amount(const std::string& key,
                                        std::initializer_list<std::pair<const char*, double>> units) const;
    std::optional<std::uint64_t> bytes(const char* key) const {
        return amount(key, {{"", 1},
                            {"_kb", 1024},
                            {"_mb", 1048576},
                            {"_mib", 1048576},
                            {"_gb", 1073741824},
                            {"_gib", 1073741824}});
    }
    std::optional<std::uint64_t> khz(const char* key) const {
        return amount(key, {{"", 1}, {"_khz", 1}, {"_mhz", 1000}});
    }

private:
    const json* find(const std::string& key) const {
        if (!values_) return nullptr;
        const auto found = values_->find(key);
        return found == values_->end() ? nullptr : &*found;
    }
    [[noreturn]] void refuse(const std::string& key, const char* wanted) const {
        throw tools::refusal("The record's " + std::string(name_) + (key.empty() ? "" : "." + key) +
                             " is not " + wanted + ".");
    }

    const char* name_;
    const json* values_ = nullptr;
};

}  // namespace fade::doctor

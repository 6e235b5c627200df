// What a refused call throws.
#pragma once
#include <fade/core/namespace.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace FADE_NAMESPACE {

/// A call that cannot be: what() is one sentence naming the argument, its value and the rule; nothing was
/// written.
class error : public std::runtime_error {
public:
    /// Its sentence is "ARGUMENT is VALUE, but RULE".
    error(std::string argument, std::string value, std::string rule)
        : std::runtime_error(argument + " is " + value + ", but " + rule), argument_(std::move(argument)),
          value_(std::move(value)), rule_(std::move(rule)) {}

    /// The argument that was refused.
    const std::string& argument() const noexcept { return argument_; }
    /// What it was.
    const std::string& value() const noexcept { return value_; }
    /// What it must be.
    const std::string& rule() const noexcept { return rule_; }

private:
    std::string argument_, value_, rule_;
};

}  // namespace FADE_NAMESPACE

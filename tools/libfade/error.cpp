#include "error.hpp"

namespace fade::c {
namespace {

struct kept_error {
    std::string argument, value, rule, message;
    fade_error said{sizeof(fade_error), FADE_OK, "", "", "", ""};
};
thread_local kept_error last;

bool begins(const std::string& s, const char* with) { return s.rfind(with, 0) == 0; }

}  // namespace

fade_status keep(fade_status status, const std::string& argument, const std::string& value,
                 const std::string& rule) noexcept {
    try {
        last.argument = argument, last.value = value, last.rule = rule;
        last.message = argument + " is " + value + ", but " + rule;
        last.said = {sizeof(fade_error),    status,
                     last.argument.c_str(), last.value.c_str(),
                     last.rule.c_str(),     last.message.c_str()};
    } catch (...) {
        last.said = {sizeof(fade_error),        FADE_NO_MEMORY, "memory", "used up",
                     "the sentence found none", "no memory"};
    }
    return status;
}

fade_status keep(const error& e, fade_status status) noexcept {
    return keep(status, e.argument(), e.value(), e.rule());
}

fade_status status_of(const error& e) noexcept {
    const bool runtime =
        begins(e.argument(), "hip") || begins(e.argument(), "cuda") || begins(e.argument(), "cuT");
    return runtime ? FADE_RUNTIME : FADE_INVALID;
}

}  // namespace fade::c

const fade_error* fade_last_error(void) { return &fade::c::last.said; }

// What a program says when something asked for cannot be, and how it ends.
#pragma once
#include "output.hpp"
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fade::tools {

/// Exit codes that all programs share. An answer that could not be written is no answer, whatever it said.
enum exit_code { done = 0, check_failed = 1, not_written = 1, refused = 2 };

/// Something asked for that cannot be: what() is one sentence.
class refusal : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A word as given, fit for a sentence: in quotes, without control characters, shortened in the middle of
/// nowhere.
inline std::string quoted(std::string_view word) {
    constexpr std::size_t max = 48;
    std::string out = "'";
    for (char c : word.substr(0, max)) out += c >= ' ' && c < 127 ? c : '?';
    return out + (word.size() > max ? "...'" : "'");
}

/// Any text as one line of at most 400 characters.
inline std::string one_sentence(std::string_view text) {
    constexpr std::size_t max = 396;
    std::string out;
    for (char c : text.substr(0, max)) out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    return out + (text.size() > max ? "..." : "");
}

/// Runs the body of a program: whatever it throws becomes one sentence on stderr and exit code 2, and output
/// that does not arrive one and exit code 1.
template <class Body>
int run_program(const Body& body) {
    hold_standard_streams();
    try {
        const int code = body();
        finish_output();
        return code;
    } catch (const unwritten& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return not_written;
    } catch (const std::bad_alloc&) {
        std::fputs("There is not enough memory for what was asked.\n", stderr);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", one_sentence(e.what()).c_str());
    }
    return refused;
}

}  // namespace fade::tools

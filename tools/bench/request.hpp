// What a command line asks of any operation.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "../common/command_line.hpp"
#include "element.hpp"
#include "timing.hpp"

namespace fade::bench {

/// The options that every operation has, as given.
struct request {
    std::string device;
    const element* in = nullptr;
    const element* out = nullptr;
    std::optional<std::string> peer, capture;
    bool check = false, json = false, plan = false, strict = false;
    clock_kind clock = clock_kind::wall;
    std::uint64_t seed = 0;
};

/// The options of an operation, between those that all have.
std::vector<tools::option> with_common_options(std::string_view types_of_inputs, std::string_view types_of_outputs, std::vector<tools::option> own);

/// Reads and checks them; `to` keeps what else it holds.
void parse_common(const tools::command_line& line, request& to);

/// The value of an option, where it was given.
std::optional<std::string> word_of(const tools::command_line& line, std::string_view option);

}  // namespace fade::bench

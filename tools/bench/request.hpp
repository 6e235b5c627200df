// What a command line asks of any operation.
#pragma once
#include "../common/command_line.hpp"
#include "element.hpp"
#include "spoil.hpp"
#include "timing.hpp"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fade::bench {

/// How an answer is printed.
enum class output_form { text, json, csv };

/// The options that every operation has, as given.
struct request {
    std::string device;
    const element* in = nullptr;
    const element* out = nullptr;
    std::optional<std::string> peer, capture;
    output_form form = output_form::text;
    bool check = false, plan = false, strict = false, warm_cache = false;
    clock_kind clock = clock_kind::wall;
    std::optional<int> samples;
    std::uint64_t seed = 0;
    std::optional<spoil> spoilt;
    std::vector<std::string> listed;  ///< options that list several sizes, as the answer names them
};

/// The lines of a command line of which each option has one value: those of every choice from the lists that
/// stand behind these options. The last of them changes fastest.
struct chosen_line {
    tools::command_line line;
    std::vector<std::string> listed;
};
std::vector<chosen_line> each_choice(const tools::command_line& line,
                                     const std::vector<std::string_view>& sizes);

/// The options of an operation, between those that all have.
std::vector<tools::option> with_common_options(std::string_view types_of_inputs,
                                               std::string_view types_of_outputs,
                                               std::vector<tools::option> own);

/// Reads and checks them; `to` keeps what else it holds. `written`: the buffers that can be spoilt.
void parse_common(const tools::command_line& line, request& to, const std::vector<std::string_view>& written);

/// A request for each of these lines, all with the same seed.
template <class Parse>
auto each_request(const tools::command_line& line, const std::vector<std::string_view>& sizes,
                  const Parse& parse) {
    std::vector<decltype(parse(line))> out;
    for (const chosen_line& one : each_choice(line, sizes)) {
        out.push_back(parse(one.line));
        out.back().listed = one.listed, out.back().seed = out.front().seed;
    }
    return out;
}

/// The value of an option, where it was given.
std::optional<std::string> word_of(const tools::command_line& line, std::string_view option);

}  // namespace fade::bench

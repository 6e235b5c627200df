// One call of fade-tune run, said by options instead of by a list.
#pragma once
#include "common/command_line.hpp"
#include "tune/list.hpp"
#include <string>
#include <vector>

namespace fade::tools {

/// The options that say a call, for --help and for the reader of the command line.
std::vector<option> call_options();

/// Is any option there that says a call? What it is called; "" where none is.
std::string first_call_word(const command_line& line);

/// The call that the options say, checked as a line of a list is. Throws refusal for an operation that there
/// is not, for an option that is not of this operation, and for what it needs.
listed_call call_of(const command_line& line);

}  // namespace fade::tools

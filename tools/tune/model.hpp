// fade-tune run --model: what the static model says of a list, without the machine.
#pragma once
#include "tune/list.hpp"
#include <string>
#include <vector>

namespace fade::tools {

/// For which machine, and of which type.
struct model_options {
    std::string arch;
    std::string dtype = "f16";
    int compute_units = 1;
    bool json = false;  ///< lines of JSON, with all of the ranking
};

/// Prints a line a call: its policies, the one that the model thinks fastest first, or for people the first
/// alone. Nothing is timed.
/// Throws refusal for an architecture or a type that has no static figures.
void model_list(const std::vector<listed_call>& list, const model_options& options);

}  // namespace fade::tools

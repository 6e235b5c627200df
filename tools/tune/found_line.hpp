// What a find did, as a line.
#pragma once
#include <fade/tune.hpp>
#include <string>

namespace fade::tools {

/// `source`, the row that was taken or kept, `why`, and `times` of a search.
std::string line_of(const found_policy& found, const std::string& name);

/// The same for people, without the times.
std::string sentence_of(const found_policy& found, const std::string& name);

}  // namespace fade::tools

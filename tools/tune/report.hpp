// fade-tune report: draws what searches timed.
#pragma once
#include <iosfwd>
#include <string>

namespace fade::tools {

/// An SVG of the lines that `fade-tune run` printed: for each search the time of every policy over that of
/// the model's choice, and what the choice gained. Throws refusal for a line that is none of those, and where
/// no line is of a search.
std::string drawn_report(std::istream& lines);

}  // namespace fade::tools

#include "sizes.hpp"
#include "../common/numbers.hpp"
#include <algorithm>

namespace fade::bench {

using tools::command_line;
using tools::quoted;
using tools::refusal;

std::size_t one_of(const command_line& line, std::string_view option,
                   std::span<const std::string_view> words) {
    const auto given = line.get(option);
    if (!given) return 0;
    const auto found = std::ranges::find(words, *given);
    if (found == words.end())
        throw refusal("--" + std::string(option) + " is " + quoted(*given) + ", but must be " +
                      tools::listed(words, "or") + ".");
    return std::size_t(found - words.begin());
}

int size_number(std::string_view what, std::string_view word, int min) {
    int value = 0;
    if (tools::is_number(word, value) && value >= min) return value;
    throw refusal(std::string(what) + " is " + quoted(word) + ", but must be a whole number from " +
                  std::to_string(min) + " to 2147483647.");
}

std::vector<int> size_numbers(std::string_view option, std::string_view words, int min) {
    std::vector<int> out;
    for (std::size_t from = 0; from <= words.size();) {
        const std::size_t to = std::min(words.find(',', from), words.size());
        out.push_back(size_number("A size of --" + std::string(option), words.substr(from, to - from), min));
        from = to + 1;
    }
    return out;
}

int dimensions_of(const command_line& line, std::string_view option) {
    return checked_dimensions(int(size_numbers(option, line.need(option), 1).size()));
}

int checked_dimensions(int dims) {
    if (dims <= 3) return dims;
    throw refusal("An image has 1, 2 or 3 dimensions, and not " + std::to_string(dims) + ".");
}

}  // namespace fade::bench

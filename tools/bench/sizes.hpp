// Words of a command line as choices, and as sizes of images.
#pragma once
#include "../common/command_line.hpp"
#include <span>
#include <string_view>
#include <vector>

namespace fade::bench {

/// Which of these words an option has; the first where it is not given.
std::size_t one_of(const tools::command_line& line, std::string_view option,
                   std::span<const std::string_view> words);

/// A whole number from `min` to 2^31 - 1; `what` is its name in the refusal.
int size_number(std::string_view what, std::string_view word, int min);

/// "56,56" as numbers; an empty part is no number.
std::vector<int> size_numbers(std::string_view option, std::string_view words, int min);

/// The 1 to 3 dimensions of an image, by the sizes that an option lists.
int dimensions_of(const tools::command_line& line, std::string_view option);

/// Refuses what is no image.
int checked_dimensions(int dims);

/// A size for each dimension, of which the last is the width. What is not given stays as it is.
template <class Sizes>
void parse_sizes(const tools::command_line& line, std::string_view option, int dims, int min, Sizes& to) {
    const auto words = line.get(option);
    if (!words) return;
    const std::vector<int> all = size_numbers(option, *words, min);
    if (int(all.size()) != dims)
        throw tools::refusal("--" + std::string(option) + " lists " + std::to_string(all.size()) +
                             " sizes, but the image has " + std::to_string(dims) + " dimensions.");
    int* const last_first[] = {&to.w, &to.h, &to.d};
    for (int i = 0; i < dims; ++i) *last_first[i] = all[std::size_t(dims - 1 - i)];
}

/// The sizes of the dimensions that there are.
template <class Sizes>
std::vector<int> listed_sizes(const Sizes& s, int dims) {
    const int all[] = {s.d, s.h, s.w};
    return {std::end(all) - dims, std::end(all)};
}

}  // namespace fade::bench

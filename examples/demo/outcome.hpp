// What the three classifiers say of the images held out, and how that is printed.
#pragma once
#include "digits.hpp"
#include <string>
#include <vector>

namespace demo {

struct classifier {
    std::string name;
    std::vector<int> said;
    bool operator==(const classifier&) const = default;
};

using outcome = std::vector<classifier>;

/// Accuracies and confusion matrices. False where a classifier is right on fewer than 97 %.
bool print(const outcome& o, const image_set& held_out);

/// Compares prediction by prediction, and says how it went.
bool print_same(const outcome& a, const outcome& b, const std::string& device, const std::string& other);

}  // namespace demo

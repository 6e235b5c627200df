// What networks say of the images held out, and how that is printed.
#pragma once
#include "digits.hpp"
#include "model.hpp"

namespace demo {

/// Accuracies, and the confusion of each model. False where one is right on fewer than `required` per cent.
bool print(const std::vector<model>& models, const std::vector<answers>& said, const image_set& held_out,
           float required);

/// Compares predictions one by one and gradients by norm, and says how it went.
bool print_same(const model& m, const answers& a, const answers& b);

}  // namespace demo

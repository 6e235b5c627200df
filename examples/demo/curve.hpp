// How a training went: its losses, and what was right after each epoch.
#pragma once
#include <string>
#include <vector>

namespace demo {

struct curve {
    std::string name;
    std::vector<float> losses;      ///< of each step
    std::vector<float> accuracies;  ///< of the images held out after each epoch, in per cent
};

/// Before a training whose picture nobody could get: throws fade::error where the file cannot be written.
void require_writable(const std::string& file);

/// A picture (SVG) of both, over the steps. Throws fade::error where the file cannot be written.
void draw(const std::vector<curve>& curves, const std::string& file);

}  // namespace demo

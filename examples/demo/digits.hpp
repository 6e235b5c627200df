// The handwritten digits: examples/data/digits.csv (its NOTICE says where they come from).
#pragma once
#include <string>
#include <vector>

namespace demo {

inline constexpr int side = 8, pixels = side * side, classes = 10;

/// Images of 64 pixels between 0 and 16, and what they show.
struct image_set {
    std::vector<float> images;
    std::vector<int> labels;
    int count() const { return int(labels.size()); }
    const float* image(int i) const { return images.data() + std::size_t(i) * pixels; }
};

/// Every fourth image of the file (the 4th, 8th, ...) is held out: 449 of 1,797. Nothing is learnt from
/// those.
struct digits {
    image_set train, held_out;
};

/// Reads `file`, or where that is empty the file of the source tree. Throws fade::error.
digits load_digits(const std::string& file);

}  // namespace demo

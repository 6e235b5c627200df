#include "outcome.hpp"

#include <cstdio>

namespace demo {
namespace {

int count_right(const std::vector<int>& said, const std::vector<int>& labels) {
    int right = 0;
    for (std::size_t i = 0; i < said.size(); ++i) right += said[i] == labels[i];
    return right;
}

void print_confusion_row(const std::vector<int>& said, const std::vector<int>& labels, int digit) {
    int counts[classes] = {};
    for (std::size_t i = 0; i < said.size(); ++i)
        if (labels[i] == digit) ++counts[said[i]];
    std::printf("   %d |", digit);
    for (const int c : counts) c ? std::printf("%3d", c) : std::printf("  .");
}

}  // namespace

bool print(const outcome& o, const image_set& held_out) {
    bool good = true;
    std::printf("\nAccuracy on the %d images held out (every fourth of the file):\n", held_out.count());
    for (const classifier& c : o) {
        const int right = count_right(c.said, held_out.labels);
        const double accuracy = 100.0 * right / held_out.count();
        std::printf("  %-30s %6.2f %%  (%d right)%s\n", c.name.c_str(), accuracy, right,
                    accuracy < 97 ? "  BELOW 97 %" : "");
        good = good && accuracy >= 97;
    }
    std::printf("\nConfusion: a row is what the image shows, a column what was said.\n");
    for (const classifier& c : o) std::printf("  %-34s", c.name.c_str());
    std::printf("\n");
    for (std::size_t i = 0; i < o.size(); ++i) std::printf("       0  1  2  3  4  5  6  7  8  9");
    std::printf("\n");
    for (int digit = 0; digit < classes; ++digit) {
        for (const classifier& c : o) print_confusion_row(c.said, held_out.labels, digit);
        std::printf("\n");
    }
    return good;
}

bool print_same(const outcome& a, const outcome& b, const std::string& device, const std::string& other) {
    std::size_t differ = 0, all = 0;
    for (std::size_t c = 0; c < a.size(); ++c)
        for (std::size_t i = 0; i < a[c].said.size(); ++i) differ += a[c].said[i] != b[c].said[i], ++all;
    if (differ)
        std::printf("\n%s and %s DIFFER in %zu of %zu predictions.\n", device.c_str(), other.c_str(), differ,
                    all);
    else
        std::printf("\n%s and %s agree in all %zu predictions.\n", device.c_str(), other.c_str(), all);
    return differ == 0;
}

}  // namespace demo

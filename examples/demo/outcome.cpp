#include "outcome.hpp"

#include <cmath>
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

void print_confusion(const std::vector<model>& models, const std::vector<answers>& all,
                     const std::vector<int>& labels) {
    std::printf("\nConfusion: a row is what the image shows, a column what was said.\n");
    for (const model& m : models) std::printf("  %-34s", m.name.c_str());
    std::printf("\n");
    for (std::size_t i = 0; i < models.size(); ++i) std::printf("       0  1  2  3  4  5  6  7  8  9");
    std::printf("\n");
    for (int digit = 0; digit < classes; ++digit) {
        for (const answers& a : all) print_confusion_row(a.said, labels, digit);
        std::printf("\n");
    }
}

/// ||a - b|| / ||b||; 0 of lists that are empty.
double relative_difference(const std::vector<float>& a, const std::vector<float>& b) {
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < b.size(); ++i)
        error += std::pow(double(a[i]) - double(b[i]), 2), norm += std::pow(double(b[i]), 2);
    return b.empty() ? 0 : std::sqrt(error / norm);
}

/// Sums of another order differ by roundings; in f16 those of each layer reach the next.
double allowed_difference(arithmetic kind) { return kind == arithmetic::mixed ? 2e-2 : 1e-4; }

}  // namespace

bool print(const std::vector<model>& models, const std::vector<answers>& all, const image_set& held_out,
           float required) {
    bool good = true;
    const std::size_t count = all.front().said.size();
    std::printf("\nAccuracy on %zu images held out (every fourth of the file is):\n", count);
    for (std::size_t i = 0; i < models.size(); ++i) {
        const int right = count_right(all[i].said, held_out.labels);
        const double accuracy = 100.0 * right / double(count);
        const bool enough = accuracy >= double(required);
        std::printf("  %-30s %6.2f %%  (%d right)", models[i].name.c_str(), accuracy, right);
        enough ? std::printf("\n") : std::printf("  BELOW %.1f %%\n", double(required));
        good = good && enough;
    }
    print_confusion(models, all, held_out.labels);
    return good;
}

bool print_same(const model& m, const answers& a, const answers& b) {
    std::size_t differ = 0;
    for (std::size_t i = 0; i < a.said.size(); ++i) differ += a.said[i] != b.said[i];
    const double difference = relative_difference(a.gradient, b.gradient);
    const bool close = difference <= allowed_difference(m.kind);
    std::printf("  %-30s %zu of %zu predictions differ", m.name.c_str(), differ, a.said.size());
    if (!a.gradient.empty())
        std::printf("; gradient: relative difference %.1e%s", difference, close ? "" : ", TOO LARGE");
    std::printf("\n");
    return differ == 0 && close;
}

}  // namespace demo

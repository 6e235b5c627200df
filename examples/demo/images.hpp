// A batch of digits as the network sees them: upscaled to 32 x 32, and for training turned, stretched and
// moved a little. One sampling does both, since each of them only says where a pixel lies in the digit.
#pragma once
#include "memory.hpp"
#include "parameters.hpp"
#include <algorithm>
#include <fade/grid_sample.hpp>

namespace demo {

/// Where a pixel of the network's image lies in the digit; both have their edges at -1 and 1.
struct affine {
    float xx = 1, xy = 0, x = 0, yx = 0, yy = 1, y = 0;

    /// A turn by up to 12 degrees, a side longer or shorter by up to a tenth, moved by up to a pixel.
    static affine drawn(random_source& random) {
        const auto within = [&](float most) { return (2 * random.uniform() - 1) * most; };
        const float angle = within(0.2f), width = 1 + within(0.1f), height = 1 + within(0.1f);
        const float pixel = 2.0f / side;
        return {width * std::cos(angle), -height * std::sin(angle), within(pixel),
                width * std::sin(angle), height * std::cos(angle),  within(pixel)};
    }
};

template <class Device, class T>
class images {
    static constexpr int to_side = stages[0].side;

public:
    images(Device& device, int batch)
        : device_(device), digits_(device, std::size_t(batch) * pixels),
          grid_(device, std::size_t(batch) * to_side * to_side * 2),
          images_(device, std::size_t(batch) * to_side * to_side) {}

    /// Images that begin at `first` of an order; behind the last, the last again. Without a random source
    /// they are seen as they are.
    void take(const image_set& from, const std::vector<int>& order, int first, random_source* random) {
        std::vector<float> digits, grid;
        for (int i = 0; i < batch(); ++i) {
            const float* image = from.image(order[std::min(std::size_t(first + i), order.size() - 1)]);
            for (int p = 0; p < pixels; ++p) digits.push_back(image[p] / 16);
            add_grid(grid, random ? affine::drawn(*random) : affine());
        }
        digits_.put(digits), grid_.put(grid);
        fade::grid_sample<T>(device_,
                             {.batch = batch(),
                              .channels = 1,
                              .input = {.h = side, .w = side},
                              .output = {.h = to_side, .w = to_side}},
                             {digits_.data(), grid_.data(), images_.data()});
    }
    const T* data() const { return images_.data(); }
    int batch() const { return int(digits_.size() / pixels); }
    std::size_t bytes() const { return digits_.bytes() + grid_.bytes() + images_.bytes(); }

private:
    static void add_grid(std::vector<float>& grid, const affine& a) {
        const auto middle = [](int i) { return (2 * float(i) + 1) / to_side - 1; };
        for (int h = 0; h < to_side; ++h)
            for (int w = 0; w < to_side; ++w) {
                grid.push_back(a.xx * middle(w) + a.xy * middle(h) + a.x);
                grid.push_back(a.yx * middle(w) + a.yy * middle(h) + a.y);
            }
    }

    Device& device_;
    array<Device, T> digits_;
    array<Device, float> grid_;
    array<Device, T> images_;
};

}  // namespace demo

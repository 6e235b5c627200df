// Classification by the nearest training image: all distances come from one matrix multiplication.
#pragma once
#include "digits.hpp"
#include "kernel_table.hpp"
#include "memory.hpp"
#include "products.hpp"
#include "stages.hpp"
#include <algorithm>

namespace demo {

inline std::vector<float> squared_lengths(const image_set& set) {
    std::vector<float> out;
    for (int i = 0; i < set.count(); ++i) {
        float sum = 0;
        for (int p = 0; p < pixels; ++p) sum += set.image(i)[p] * set.image(i)[p];
        out.push_back(sum);
    }
    return out;
}

/// The label of the training image nearest to each image held out; of several as near, the first.
template <class Device>
std::vector<int> nearest_neighbours(Device& device, const digits& data, kernel_table& table) {
    const int rows = data.held_out.count(), columns = data.train.count();
    array<Device, float> x(device, data.held_out.images), y(device, data.train.images);
    array<Device, float> xx(device, squared_lengths(data.held_out)), yy(device, squared_lengths(data.train));
    array<Device, float> distances(device, std::size_t(rows) * std::size_t(columns));
    const sizes size{rows, columns, pixels};
    table.measure(device, "all distances", size, [&] {
        return multiply<fade::gemm_layout::nt>(device, size, x.data(), y.data(), distances.data(),
                                               squared_distance(xx.data(), yy.data()));
    });
    const std::vector<float> d = distances.get();
    std::vector<int> out;
    for (int i = 0; i < rows; ++i) {
        const auto row = d.begin() + std::ptrdiff_t(i) * columns;
        out.push_back(data.train.labels[std::size_t(std::min_element(row, row + columns) - row)]);
    }
    return out;
}

}  // namespace demo

// Trains a network on the digits and classifies the images held out.
#pragma once
#include "network.hpp"
#include "progress.hpp"
#include <algorithm>
#include <cmath>
#include <numbers>

namespace demo {

/// Images and labels of one step: every second image is moved by up to a pixel, for the sake of what was not
/// seen.
struct batch {
    std::vector<float> images;
    std::vector<int> labels;

    void add(const image_set& from, int i, int down, int right) {
        for (int y = 0; y < side; ++y)
            for (int x = 0; x < side; ++x) {
                const int fy = y - down, fx = x - right;
                const bool inside = fy >= 0 && fy < side && fx >= 0 && fx < side;
                images.push_back(inside ? from.image(i)[fy * side + fx] / 16 : 0.0f);
            }
        labels.push_back(from.labels[std::size_t(i)]);
    }
    void add_moved(const image_set& from, int i, random_source& random) {
        const bool moved = random.below(2) == 1;
        const int down = random.below(3) - 1, right = random.below(3) - 1;
        add(from, i, moved ? down : 0, moved ? right : 0);
    }
};

/// One pass over the training images in a new order; what does not fill a batch waits for the next. Returns
/// the mean loss.
template <class Network>
float train_epoch(Network& net, const image_set& set, const settings& s, random_source& random, int epoch) {
    const std::vector<int> order = random.permutation(set.count());
    const int steps = set.count() / s.batch;
    float loss = 0;
    for (int step = 0; step < steps; ++step) {
        batch b;
        for (int i = 0; i < s.batch; ++i) b.add_moved(set, order[std::size_t(step * s.batch + i)], random);
        net.forward(b.images);
        const double done = (epoch + double(step) / steps) / s.epochs;
        loss +=
            net.learn(b.labels, s.rate * float(0.5 + 0.5 * std::cos(std::numbers::pi * done))) / float(steps);
    }
    return loss;
}

template <class Network>
std::vector<int> classify(Network& net, const image_set& set, int rows) {
    std::vector<int> out;
    for (int first = 0; first < set.count(); first += rows) {
        batch b;
        for (int i = 0; i < rows; ++i) b.add(set, std::min(first + i, set.count() - 1), 0, 0);
        net.forward(b.images);
        const std::vector<float> logits = net.logits();
        for (int i = 0; i < rows && first + i < set.count(); ++i) {
            const float* row = logits.data() + std::ptrdiff_t(i) * outputs;
            out.push_back(int(std::max_element(row, row + classes) - row));
        }
    }
    return out;
}

template <class T, class Device>
std::vector<int> train_and_classify(Device& device, const settings& s, const digits& data,
                                    kernel_table& table) {
    const std::string type = fade::name(fade::dtype_v<T>);
    network<Device, T> net(device, s);
    random_source random(s.seed + 1);
    progress bar("training in " + type, s.epochs);
    for (int epoch = 0; epoch < s.epochs; ++epoch)
        bar.show(epoch + 1, train_epoch(net, data.train, s, random, epoch));
    const std::vector<int> out = classify(net, data.held_out, s.batch);
    net.measure(table, type);
    return out;
}

}  // namespace demo

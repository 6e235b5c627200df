// Trains the network on the digits, and classifies the images held out.
#pragma once
#include "curve.hpp"
#include "descent.hpp"
#include "images.hpp"
#include "progress.hpp"
#include "settings.hpp"
#include <numbers>

namespace demo {

inline std::vector<int> in_order(const image_set& set) {
    std::vector<int> out(std::size_t(set.count()));
    std::iota(out.begin(), out.end(), 0);
    return out;
}

/// What the network says of the first `count` images of a set.
template <class Network, class Images>
std::vector<int> classify(Network& net, Images& images, const image_set& set, int count) {
    std::vector<int> out;
    const std::vector<int> order = in_order(set);
    for (int first = 0; first < count; first += images.batch()) {
        images.take(set, order, first, nullptr);
        net.forward(images.data());
        for (const int said : net.classes_said()) out.push_back(said);
    }
    out.resize(std::size_t(count));
    return out;
}

/// Of classes said of the first images of a set, in per cent.
inline float share_right(const std::vector<int>& said, const image_set& set) {
    int right = 0;
    for (std::size_t i = 0; i < said.size(); ++i) right += said[i] == set.labels[i];
    return 100 * float(right) / float(said.size());
}

template <class Device, class T, class Descent>
class training {
public:
    training(Device& device, const settings& s, const digits& data, const std::string& name, curve& c)
        : settings_(s), data_(data), curve_(c), bar_(name, s.epochs), random_(s.seed + 1),
          images_(device, s.batch), net_(device, s.batch, s.activations), descent_(device) {
        net_.load(initial_parameters(s.seed));
    }

    /// All epochs. Returns the parameters.
    std::vector<float> run() {
        for (int epoch = 0; epoch < settings_.epochs; ++epoch) {
            const float loss = train_epoch(epoch);
            const auto said = classify(net_, images_, data_.held_out, data_.held_out.count());
            curve_.accuracies.push_back(share_right(said, data_.held_out));
            bar_.epoch(epoch, loss, curve_.accuracies.back());
        }
        return net_.parameters();
    }
    std::string words() const { return descent_.words(); }

private:
    /// One pass over the training images in a new order; what does not fill a batch waits for the next.
    /// Returns the mean loss.
    float train_epoch(int epoch) {
        const std::vector<int> order = random_.permutation(data_.train.count());
        const int steps = data_.train.count() / settings_.batch;
        float loss = 0;
        for (int step = 0; step < steps; ++step) {
            const double done = double(step) / steps;
            curve_.losses.push_back(learn(order, step * settings_.batch, (epoch + done) / settings_.epochs));
            bar_.step(epoch, done, curve_.losses.back());
            loss += curve_.losses.back() / float(steps);
        }
        return loss;
    }

    /// One batch, at a rate that falls like a cosine (Loshchilov and Hutter, 2017).
    float learn(const std::vector<int>& order, int first, double done) {
        images_.take(data_.train, order, first, &random_);
        std::vector<int> labels;
        for (int i = first; i < first + settings_.batch; ++i)
            labels.push_back(data_.train.labels[std::size_t(order[std::size_t(i)])]);
        net_.forward(images_.data());
        const float loss = net_.loss(labels);
        net_.backward(images_.data(), descent_.scale());
        descent_.step(net_, 0.5 + 0.5 * std::cos(std::numbers::pi * done));
        return loss;
    }

    const settings& settings_;
    const digits& data_;
    curve& curve_;
    progress bar_;
    random_source random_;
    images<Device, T> images_;
    network<Device, T> net_;
    Descent descent_;
};

}  // namespace demo

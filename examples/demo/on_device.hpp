// The demo's work on one device.
#pragma once
#include "devices.hpp"
#include "quantised.hpp"
#include "training.hpp"
#include <cstdio>

namespace demo {

/// How many images a batch may have, by what two networks of few images need.
template <class T, class Device>
int largest_batch(Device& device, std::uint64_t free_bytes, activations a, std::uint64_t& image_bytes) {
    const auto needed = [&](int batch) {
        return std::uint64_t(network<Device, T>(device, batch, a).bytes() +
                             images<Device, T>(device, batch).bytes());
    };
    image_bytes = needed(2) - needed(1);
    const std::uint64_t fixed = needed(1) - image_bytes,
                        usable = free_bytes - free_bytes / 8;  // the rest is for what operators need beside
    const std::uint64_t addressable = ((std::uint64_t(1) << 31) - 1) / std::uint64_t(stages[0].values());
    return usable <= fixed ? 0 : int(std::min((usable - fixed) / image_bytes, addressable));
}

/// The gradient of one batch of moved images.
template <class T, class Device>
std::vector<float> gradient_of(Device& device, const model& m, const settings& s, const image_set& set,
                               activations a) {
    constexpr int batch = 4;
    constexpr float scale = std::is_same_v<T, float> ? 1.0f : 1024.0f;
    images<Device, T> some(device, batch);
    network<Device, T> net(device, batch, a);
    random_source random(s.seed);
    some.take(set, in_order(set), 0, &random);
    net.load(m.parameters);
    net.forward(some.data());
    net.loss({set.labels.begin(), set.labels.begin() + batch});
    net.backward(some.data(), scale);
    return net.gradient();
}

template <class T, class Device>
answers examine_floats(Device& device, const model& m, const settings& s, const digits& data) {
    const int batch = std::min(64, s.examined);
    images<Device, T> some(device, batch);
    network<Device, T> net(device, batch, activations::recomputed);
    net.load(m.parameters);
    answers out;
    out.said = classify(net, some, data.held_out, s.examined);
    out.gradient = gradient_of<T>(device, m, s, data.train, activations::kept);
    if (out.gradient != gradient_of<T>(device, m, s, data.train, activations::recomputed))
        throw fade::error("activation checkpointing", m.name, "its gradient must have the same bits");
    return out;
}

template <class Device>
answers examine_on(Device& device, const model& m, const settings& s, const digits& data) {
    if (m.kind == arithmetic::f32) return examine_floats<float>(device, m, s, data);
    if (m.kind == arithmetic::mixed) return examine_floats<fade::f16>(device, m, s, data);
    const int batch = std::min(64, s.examined);
    images<Device, float> some(device, batch);
    quantised_network<Device> net(device, batch, m.parameters);
    return {classify(net, some, data.held_out, s.examined), {}};
}

template <class Device>
class examiner_on final : public examiner {
public:
    std::string words() const override { return device_.name() + ", lane for lane on this CPU"; }
    answers examine(const model& m, const settings& s, const digits& data) override {
        return examine_on(device_, m, s, data);
    }

private:
    Device device_;
};

/// `Memory` gives the free bytes of the device.
template <class Device, class Memory>
class trainer_on final : public trainer {
public:
    template <class... Arguments>
    trainer_on(std::string words, Memory free_bytes, Arguments... arguments)
        : words_(std::move(words)), free_bytes_(free_bytes), device_(arguments...) {}

    std::string words() const override { return words_; }
    answers examine(const model& m, const settings& s, const digits& data) override {
        return examine_on(device_, m, s, data);
    }
    batch_limits limits(arithmetic kind) override {
        return kind == arithmetic::mixed ? limits_of<fade::f16>() : limits_of<float>();
    }
    model train(arithmetic kind, const settings& s, const digits& data, curve& c) override {
        if (kind == arithmetic::mixed) return train<fade::f16, scaled_adamw<Device>>(kind, s, data, c);
        return train<float, sgd<Device>>(kind, s, data, c);
    }

private:
    template <class T>
    batch_limits limits_of() {
        batch_limits out{.free_bytes = free_bytes_()};
        out.kept = largest_batch<T>(device_, out.free_bytes, activations::kept, out.image_bytes);
        out.recomputed =
            largest_batch<T>(device_, out.free_bytes, activations::recomputed, out.image_bytes_recomputed);
        return out;
    }
    template <class T, class Descent>
    model train(arithmetic kind, const settings& s, const digits& data, curve& c) {
        training<Device, T, Descent> t(device_, s, data, c.name, c);
        model out{c.name, kind, t.run()};
        std::printf("  %s: %s\n", c.name.c_str(), t.words().c_str());
        return out;
    }

    std::string words_;
    Memory free_bytes_;
    Device device_;
};

}  // namespace demo

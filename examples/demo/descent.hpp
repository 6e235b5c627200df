// Both ways down the gradient, each one launch over all parameters.
#pragma once
#include "network.hpp"
#include <fade/optimizer.hpp>

namespace demo {

/// Dynamic loss scaling (Micikevicius et al., "Mixed Precision Training", 2018): gradients that f16 could not
/// hold are thrown away and the scale is halved; after some steps that went well it is doubled.
class loss_scale {
public:
    float value() const { return value_; }
    int skipped() const { return skipped_; }

    void overflowed() { value_ /= 2, good_ = 0, ++skipped_; }
    void went_well() {
        if (++good_ < patience) return;
        value_ *= 2, good_ = 0;
    }

private:
    static constexpr int patience = 50;
    float value_ = 65536;
    int good_ = 0, skipped_ = 0;
};

inline std::vector<float> zeros() { return std::vector<float>(std::size_t(parameter_count)); }

/// Stochastic gradient descent with momentum, for products in f32.
template <class Device>
class sgd {
public:
    explicit sgd(Device& device) : device_(device), velocity_(device, zeros()) {}

    /// What the loss is multiplied by.
    float scale() const { return 1; }

    /// At a share of the highest rate.
    void step(network<Device, float>& net, double share) {
        fade::sgd_step<float>(
            device_, {.count = parameter_count, .rate = 0.05 * share, .momentum = 0.9, .weight_decay = 5e-4},
            {.gradient = net.gradients(), .master = net.master(), .velocity = velocity_.data()});
    }
    std::string words() const { return "SGD"; }

private:
    Device& device_;
    array<Device, float> velocity_;
};

/// AdamW for products in f16: the loss is scaled, and parameters in f32 are rounded for the next pass by the
/// step itself.
template <class Device>
class scaled_adamw {
public:
    explicit scaled_adamw(Device& device)
        : device_(device), first_(device, zeros()), second_(device, zeros()), nonfinite_(device, 1) {}

    float scale() const { return scale_.value(); }

    void step(network<Device, fade::f16>& net, double share) {
        fade::find_nonfinite<float>(device_, parameter_count, net.gradients(), nonfinite_.data());
        fade::adamw_step<float, fade::f16>(device_,
                                           {.count = parameter_count,
                                            .rate = 2e-3 * share,
                                            .step = steps_ + 1,
                                            .loss_scale = double(scale())},
                                           {.gradient = net.gradients(),
                                            .master = net.master(),
                                            .first_moment = first_.data(),
                                            .second_moment = second_.data(),
                                            .copy = net.copy(),
                                            .nonfinite = nonfinite_.data()});
        if (nonfinite_.get()[0] != 0)
            scale_.overflowed();
        else
            scale_.went_well(), ++steps_;
    }
    std::string words() const {
        return "AdamW, loss scale " + std::to_string(int(scale())) + " at the end, " +
               std::to_string(scale_.skipped()) + " steps skipped";
    }

private:
    Device& device_;
    array<Device, float> first_, second_, nonfinite_;
    loss_scale scale_;
    int steps_ = 0;
};

}  // namespace demo

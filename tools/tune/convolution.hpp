// A convolution that fade-tune tunes, on any device.
#pragma once
#include "tune/workload.hpp"
#include <fade/conv.hpp>

namespace fade::tools {

/// A pass, with the algorithms that are compiled beside those of every call.
template <conv_pass Pass, class Device, class T, class Tensor, conv_algorithms Algorithms>
class convolution final : public workload {
    static fade::index elements(const auto& shape) { return shape.elements(); }
    auto operands() const {
        if constexpr (Pass == conv_pass::forward)
            return conv_operands<T>{.x = x_.data(), .w = w_.data(), .y = y_.data()};
        else if constexpr (Pass == conv_pass::backward_data)
            return conv_data_operands<T>{.dy = y_.data(), .w = w_.data(), .dx = x_.data()};
        else
            return conv_weights_operands<T>{.x = x_.data(), .dy = y_.data(), .dw = w_.data()};
    }

public:
    convolution(Device& device, const conv_problem& problem)
        : device_(device), problem_(problem), x_(device, elements(kernel::input_shape(problem_))),
          w_(device, elements(kernel::filter_shape(problem_))),
          y_(device, elements(kernel::output_shape(problem_))) {}

    void fill() override {
        if constexpr (Pass != conv_pass::backward_data) x_.fill();
        if constexpr (Pass != conv_pass::backward_weights) w_.fill();
        if constexpr (Pass != conv_pass::forward) y_.fill();
    }
    report plan(const tuned_policies& source) override {
        const conv_options options{.tuned = &source};
        if constexpr (Pass == conv_pass::forward)
            return plan_conv_forward<T, T, Algorithms>(device_, problem_, operands(), {}, options).report;
        else if constexpr (Pass == conv_pass::backward_data)
            return plan_conv_backward_data<T, T, Algorithms>(device_, problem_, operands(), {}, options)
                .report;
        else
            return plan_conv_backward_weights<T, T, Algorithms>(device_, problem_, operands(), {}, options)
                .report;
    }
    found_policy find(tuning_database& rows, const find_options& options) override {
        return find_conv<T, T, Algorithms>(device_, problem_, operands(), rows, options);
    }
    verification verify(const tune::tuning_row& row) override {
        return verify_conv<T, T, Algorithms>(device_, problem_, operands(), row);
    }

private:
    Device& device_;
    conv_problem problem_;
    Tensor x_, w_, y_;
};

}  // namespace fade::tools

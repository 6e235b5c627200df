// A convolution that fade-tune tunes, on any device.
#pragma once
#include "tune/workload.hpp"
#include <fade/conv.hpp>

namespace fade::tools {

/// Any pass, with the algorithms that are compiled beside those of every call.
template <class Device, class T, class Tensor, conv_algorithms Algorithms>
class convolution final : public workload {
    static fade::index elements(const auto& shape) { return shape.elements(); }
    conv_operands<T> forward() const { return {.x = x_.data(), .w = w_.data(), .y = y_.data()}; }
    conv_data_operands<T> data() const { return {.dy = y_.data(), .w = w_.data(), .dx = x_.data()}; }
    conv_weights_operands<T> weights() const { return {.x = x_.data(), .dy = y_.data(), .dw = w_.data()}; }
    template <class F>
    auto with_operands(const F& f) const {
        return pass_ == conv_pass::forward         ? f(forward())
               : pass_ == conv_pass::backward_data ? f(data())
                                                   : f(weights());
    }

public:
    convolution(Device& device, const conv_work& w)
        : device_(device), pass_(w.pass), problem_(w.problem),
          x_(device, elements(kernel::input_shape(problem_))),
          w_(device, elements(kernel::filter_shape(problem_))),
          y_(device, elements(kernel::output_shape(problem_))) {}

    void fill() override {
        if (pass_ != conv_pass::backward_data) x_.fill();
        if (pass_ != conv_pass::backward_weights) w_.fill();
        if (pass_ != conv_pass::forward) y_.fill();
    }
    report plan(const tuned_policies& source) override {
        const conv_options options{.tuned = &source};
        if (pass_ == conv_pass::forward)
            return plan_conv_forward<T, T, Algorithms>(device_, problem_, forward(), {}, options).report;
        if (pass_ == conv_pass::backward_data)
            return plan_conv_backward_data<T, T, Algorithms>(device_, problem_, data(), {}, options).report;
        return plan_conv_backward_weights<T, T, Algorithms>(device_, problem_, weights(), {}, options).report;
    }
    found_policy find(tuning_database& rows, const find_options& options) override {
        return with_operands([&](const auto& operands) {
            return find_conv<T, T, Algorithms>(device_, problem_, operands, rows, options);
        });
    }
    verification verify(const tune::tuning_row& row) override {
        return with_operands([&](const auto& operands) {
            return verify_conv<T, T, Algorithms>(device_, problem_, operands, row);
        });
    }

private:
    Device& device_;
    conv_pass pass_;
    conv_problem problem_;
    Tensor x_, w_, y_;
};

}  // namespace fade::tools

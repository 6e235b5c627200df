// A row operator that fade-tune tunes, on any device.
#pragma once
#include "tune/workload.hpp"
#include <fade/norm.hpp>
#include <fade/softmax.hpp>

namespace fade::tools {

/// rms_norm and layer_norm with weights, without a residual; softmax and log_softmax.
template <class Device, class T, class Tensor>
class row_calls final : public workload {
public:
    row_calls(Device& device, const rows_work& w)
        : device_(device), work_(w), x_(device, w.rows * w.columns), y_(device, w.rows * w.columns),
          weight_(device, w.columns), bias_(device, w.columns) {}

    void fill() override { x_.fill(), weight_.fill(), bias_.fill(); }
    report plan(const tuned_policies& source) override {
        return with_operator(
            [&](const auto& op) { return plan_rows(device_, work_.name(), size(), op, {}, &source).report; });
    }
    found_policy find(tuning_database& rows, const find_options& options) override {
        return with_operator(
            [&](const auto& op) { return find_rows(device_, work_.name(), size(), op, rows, options); });
    }
    verification verify(const tune::tuning_row& row) override {
        return with_operator(
            [&](const auto& op) { return fade::verify_rows(device_, work_.name(), size(), op, row); });
    }

private:
    kernel::row_size size() const { return {work_.rows, work_.columns}; }
    template <class F>
    auto with_operator(const F& f) const {
        constexpr int dense = -1;
        constexpr float epsilon = 1e-5f;
        switch (work_.what) {
        case row_operator::rms_norm:
            return f(kernel::rms_norm_rows<T, T, T>{.x = {x_.data(), dense},
                                                    .residual = {},
                                                    .sum = {},
                                                    .weight = {weight_.data(), 0},
                                                    .y = {y_.data(), dense},
                                                    .scales = nullptr,
                                                    .inverse_root = nullptr,
                                                    .epsilon = epsilon,
                                                    .weight_offset = 0});
        case row_operator::layer_norm:
            return f(kernel::layer_norm_rows<T, T, T>{.x = {x_.data(), dense},
                                                      .residual = {},
                                                      .sum = {},
                                                      .weight = {weight_.data(), 0},
                                                      .bias = {bias_.data(), 0},
                                                      .y = {y_.data(), dense},
                                                      .scales = nullptr,
                                                      .mean = nullptr,
                                                      .inverse_root = nullptr,
                                                      .epsilon = epsilon});
        case row_operator::softmax:
            return f(kernel::softmax_rows<T, T, false>{{x_.data(), dense}, {y_.data(), dense}});
        default:
            return f(kernel::softmax_rows<T, T, true>{{x_.data(), dense}, {y_.data(), dense}});
        }
    }

    Device& device_;
    rows_work work_;
    Tensor x_, y_, weight_, bias_;
};

}  // namespace fade::tools

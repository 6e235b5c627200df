// A row operator that fade-tune tunes, on any device.
#pragma once
#include "tune/workload.hpp"
#include <fade/norm.hpp>
#include <fade/softmax.hpp>

namespace fade::tools {

/// rms_norm and layer_norm with weights, without a residual; softmax and log_softmax.
template <row_operator What, class Device, class T, class Tensor>
class row_calls final : public workload {
public:
    row_calls(Device& device, const rows_work& w)
        : device_(device), work_(w), x_(device, w.rows * w.columns), y_(device, w.rows * w.columns),
          weight_(device, w.columns), bias_(device, w.columns) {}

    void fill() override { x_.fill(), weight_.fill(), bias_.fill(); }
    report plan(const tuned_policies& source) override {
        return plan_rows(device_, work_.name(), size(), rows(), {}, &source).report;
    }
    found_policy find(tuning_database& database, const find_options& options) override {
        return find_rows(device_, work_.name(), size(), rows(), database, options);
    }
    verification verify(const tune::tuning_row& row) override {
        return fade::verify_rows(device_, work_.name(), size(), rows(), row);
    }

private:
    kernel::row_size size() const { return {work_.rows, work_.columns}; }
    auto rows() const {
        constexpr int dense = -1;
        constexpr float epsilon = 1e-5f;
        if constexpr (What == row_operator::rms_norm)
            return kernel::rms_norm_rows<T, T, T>{.x = {x_.data(), dense},
                                                  .residual = {},
                                                  .sum = {},
                                                  .weight = {weight_.data(), 0},
                                                  .y = {y_.data(), dense},
                                                  .scales = nullptr,
                                                  .inverse_root = nullptr,
                                                  .epsilon = epsilon,
                                                  .weight_offset = 0};
        else if constexpr (What == row_operator::layer_norm)
            return kernel::layer_norm_rows<T, T, T>{.x = {x_.data(), dense},
                                                    .residual = {},
                                                    .sum = {},
                                                    .weight = {weight_.data(), 0},
                                                    .bias = {bias_.data(), 0},
                                                    .y = {y_.data(), dense},
                                                    .scales = nullptr,
                                                    .mean = nullptr,
                                                    .inverse_root = nullptr,
                                                    .epsilon = epsilon};
        else
            return kernel::softmax_rows<T, T, What == row_operator::log_softmax>{{x_.data(), dense},
                                                                                 {y_.data(), dense}};
    }

    Device& device_;
    rows_work work_;
    Tensor x_, y_, weight_, bias_;
};

}  // namespace fade::tools

// What the network is trained for: the cross-entropy of its softmax, by a row operator on its device. Loss
// and gradient in one launch, since the softmax serves both.
#pragma once
#include "memory.hpp"
#include <fade/rows.hpp>
#include <numeric>

namespace demo {

/// Of each row of logits x: its loss, and the gradient of the mean loss of all rows.
struct softmax_loss_rows {
    fade::row_tensor<const float> x;
    fade::row_tensor<float> dx;
    const int* labels;
    float* loss;
    float share;  ///< of a row in the mean

    static constexpr int operands = 1, element_bytes = sizeof(float);
    template <class F>
    void each_tensor(F f) const {
        f("x", x), f("dx", dx);
    }

    template <class Row>
    FADE_FN void operator()(Row& row) const {
        const auto logits = row.read(x);
        const int label = row.get(labels);
        const float top = row.max([](float logit) { return logit; }, logits);
        const float sum = row.sum([&](float logit) { return Row::exp(logit - top); }, logits);
        row.put(loss, Row::log(sum) + top - row.element(x, label));
        const auto gradient = [&](fade::column c, float logit) {
            return (Row::exp(logit - top) / sum - (c.value == label ? 1.0f : 0.0f)) * share;
        };
        row.write(dx, gradient, logits);
    }
};

/// Of logits whose rows lie `stride` elements apart, of which the first `classes` count.
template <class Device>
class softmax_loss {
public:
    softmax_loss(Device& device, int rows, int classes, int stride)
        : device_(device), rows_(rows), classes_(classes), stride_(stride),
          labels_(device, std::size_t(rows)), loss_(device, std::size_t(rows)),
          gradient_(device, std::vector<float>(std::size_t(rows) * std::size_t(stride))) {}

    /// The mean loss of rows that should be of these classes.
    float mean(const array<Device, float>& logits, const std::vector<int>& labels) {
        labels_.put({labels.begin(), labels.end()});
        fade::run_rows(device_, "softmax loss", {rows_, classes_},
                       softmax_loss_rows{{logits.data(), stride_},
                                         {gradient_.data(), stride_},
                                         labels_.data(),
                                         loss_.data(),
                                         1 / float(rows_)});
        const std::vector<float> of_rows = loss_.get();
        return std::accumulate(of_rows.begin(), of_rows.end(), 0.0f) / float(rows_);
    }
    /// The gradient of what mean() returned last; 0 behind the classes.
    std::vector<float> gradient() { return gradient_.get(); }

private:
    Device& device_;
    int rows_, classes_, stride_;
    array<Device, int> labels_;
    array<Device, float> loss_, gradient_;
};

}  // namespace demo

// What the network is trained for: the mean cross entropy of its softmax.
#pragma once
#include "linear.hpp"
#include <fade/softmax.hpp>
#include <numeric>

namespace demo {

template <class Device, class T>
class mean_cross_entropy {
public:
    mean_cross_entropy(Device& device, int batch)
        : device_(device), batch_(batch), labels_(device, std::size_t(batch)),
          loss_(device, std::size_t(batch)), log_sum_(device, std::size_t(batch)),
          d_loss_(device, std::size_t(batch)) {}

    std::size_t bytes() const { return labels_.bytes() + loss_.bytes() + log_sum_.bytes() + d_loss_.bytes(); }

    /// Of images that should be of these classes.
    float forward(const T* logits, const std::vector<int>& labels) {
        labels_.put({labels.begin(), labels.end()});
        fade::cross_entropy<T>(
            device_, problem(),
            {.x = logits, .labels = labels_.data(), .loss = loss_.data(), .log_sum = log_sum_.data()});
        const std::vector<float> of_images = loss_.get();
        return std::accumulate(of_images.begin(), of_images.end(), 0.0f) / float(batch_);
    }

    /// The gradient of forward() times `scale`.
    void backward(const T* logits, T* d_logits, float scale) {
        d_loss_.put(std::vector<float>(std::size_t(batch_), scale / float(batch_)));
        fade::cross_entropy_gradient<T>(device_, problem(),
                                        {.x = logits,
                                         .labels = labels_.data(),
                                         .log_sum = log_sum_.data(),
                                         .dloss = d_loss_.data(),
                                         .dx = d_logits});
    }

    /// The class of the largest logit of each image.
    std::vector<int> classes_of(const T* logits) {
        fade::argmax<T>(device_, {.rows = batch_, .columns = classes, .x_stride = outputs}, logits,
                        labels_.data());
        const std::vector<float> said = labels_.get();
        return {said.begin(), said.end()};
    }

private:
    fade::cross_entropy_problem problem() const {
        return {.rows = batch_, .columns = classes, .x_stride = outputs, .dx_stride = outputs};
    }

    Device& device_;
    int batch_;
    array<Device, int> labels_;
    array<Device, float> loss_, log_sum_, d_loss_;
};

}  // namespace demo

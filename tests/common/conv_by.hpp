// Convolutions by an algorithm that is asked for: random problems against direct loops, and refusals.
#pragma once
#include "common/conv_suite.hpp"

namespace fade::test {

/// Every second case has the least workspace. `drawn()` gives a case of an algorithm that takes it.
template <class Arch, class In, class Out, conv_algorithms Algorithms, class Draw>
void conv_by(int cases, Draw drawn) {
    reached_kernels reached;
    for (int i = 0; i < cases; ++i) {
        conv_case c = drawn();
        c.least_workspace = i % 2 == 1;
        const std::string wrong = conv_trial<Arch, In, Out, Algorithms>(c, reached).run();
        INFO(c);
        CHECK(wrong == "");
    }
    for (const std::string& kernel : reached)
        CHECK((kernel.find(" im2col ") != std::string::npos || kernel.find(" mec ") != std::string::npos ||
               kernel.find(" winograd_f") != std::string::npos || kernel.find(" fft ") != std::string::npos));
}

/// A forward pass with a small y, which shows whether something was written. It has the kernels of
/// conv_trial.
template <class T, conv_algorithms Algorithms>
class conv_by_call {
public:
    conv_by_call(const conv_problem& p, conv_algorithm algorithm) : p_(p), algorithm_(algorithm) {}

    /// With so many bytes of workspace; of none the device finds its own.
    template <class Device>
    conv_plan planned(Device& device, std::size_t bytes, int split_k = 0) const {
        conv_options o = options(bytes);
        o.split_k = split_k;
        return plan_conv_forward<T, T, Algorithms>(device, p_, operands(), epilogue(), o);
    }
    /// The argument that the call refuses, in a sentence with these words; empty where it runs.
    template <class Device>
    std::string refused(Device& device, std::size_t bytes, const char* words = "") const {
        try {
            conv_forward<T, T, Algorithms>(device, p_, operands(), epilogue(), options(bytes));
        } catch (const error& e) {
            INFO(e.what());
            CHECK(std::string(e.what()).find(words) != std::string::npos);
            for (const T& v : y_) CHECK(is_poison(v));
            return e.argument();
        }
        return "";
    }

private:
    auto epilogue() const { return fade::bias(bias_) | bias_col(bias_) | relu(); }
    conv_operands<T> operands() const { return {.x = x_.data(), .w = x_.data(), .y = y_.data()}; }
    conv_options options(std::size_t bytes) const {
        conv_options out{.algorithm = algorithm_};
        if (bytes > 0) {
            workspace_.resize(bytes);
            out.workspace = workspace_.data(), out.workspace_bytes = bytes;
        }
        return out;
    }

    conv_problem p_;
    conv_algorithm algorithm_;
    std::vector<T> x_ = std::vector<T>(8192, T(1));
    std::vector<float> bias_ = std::vector<float>(1024, 0.0f);
    mutable std::vector<T> y_ = std::vector<T>(8192, poison<T>());
    mutable std::vector<std::byte> workspace_;
};

}  // namespace fade::test

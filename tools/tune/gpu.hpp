// Calls on a GPU that fade-tune tunes: each device and type is an object of
// its own.
#pragma once
#include "tune/convolution.hpp"
#include "tune/row_operator.hpp"
#include <algorithm>
#include <fade/attention.hpp>
#include <fade/core/dtype_names.hpp>
#include <fade/gemm.hpp>
#include <random>

namespace fade::tools {

/// Numbers in the memory of a device, not set.
template <class Device, class T>
class gpu_tensor {
public:
    gpu_tensor(Device& device, fade::index count)
        : device_(device), count_(std::size_t(count)),
          data_(static_cast<T*>(device.allocate(std::max<std::size_t>(count_ * sizeof(T), 1)))) {}
    ~gpu_tensor() {
        try {
            device_.release(data_);
        } catch (const error&) {  // what failed before says so itself
        }
    }
    gpu_tensor(const gpu_tensor&) = delete;
    gpu_tensor& operator=(const gpu_tensor&) = delete;

    T* data() const { return data_; }
    /// With the same million random numbers of -1 to 1, again and again: their number is a prime, so that no
    /// two rows are alike.
    void fill() {
        static const std::vector<T> numbers = some_numbers();
        for (std::size_t at = 0; at < count_; at += numbers.size())
            device_.copy_to_device(data_ + at, numbers.data(),
                                   std::min(numbers.size(), count_ - at) * sizeof(T));
        device_.synchronize();
    }

private:
    static std::vector<T> some_numbers() {
        constexpr std::size_t prime = 1048573;
        std::mt19937 draw{std::random_device{}()};
        std::uniform_real_distribution<float> any(-1, 1);
        std::vector<T> out(prime);
        for (T& x : out) x = rounded(any(draw), T{});
        return out;
    }
    static float rounded(float x, float) { return x; }
    static f16 rounded(float x, f16) { return to_f16(x); }
    static bf16 rounded(float x, bf16) { return to_bf16(x); }

    Device& device_;
    std::size_t count_;
    T* data_;
};

template <class Device, class T, gemm_kernels Kernels>
class gpu_product final : public workload {
public:
    gpu_product(Device& device, const gemm_problem& p)
        : device_(device), problem_(p), a_(device, p.m * p.k * p.batch), b_(device, p.k * p.n * p.batch),
          d_(device, p.m * p.n * p.batch) {}

    void fill() override { a_.fill(), b_.fill(); }
    report plan(const tuned_policies& source) override {
        return plan_gemm<T, T, Kernels>(device_, problem_, operands(), {},
                                        {.split_k = split_k, .tuned = &source})
            .report;
    }
    found_policy find(tuning_database& rows, const find_options& options) override {
        return find_gemm<T, T, Kernels>(device_, problem_, operands(), rows, options, {}, split_k);
    }
    verification verify(const tune::tuning_row& row) override {
        return verify_gemm<T, T, Kernels>(device_, problem_, operands(), row, {}, split_k);
    }

private:
    static constexpr int split_k = 0;  // left to the row
    gemm_operands<T> operands() const { return {.a = a_.data(), .b = b_.data(), .d = d_.data()}; }

    Device& device_;
    gemm_problem problem_;
    gpu_tensor<Device, T> a_, b_, d_;
};

template <class Device, class T>
class gpu_attention final : public workload {
public:
    gpu_attention(Device& device, const attention_problem& p)
        : device_(device), problem_(p), q_(device, p.batch * p.seq_q * p.heads * p.head_dim),
          k_(device, p.batch * p.seq_k * p.kv_heads * p.head_dim),
          v_(device, p.batch * p.seq_k * p.kv_heads * p.head_dim_v),
          o_(device, p.batch * p.seq_q * p.heads * p.head_dim_v) {}

    void fill() override { q_.fill(), k_.fill(), v_.fill(); }
    report plan(const tuned_policies& source) override {
        return plan_attention<T>(device_, problem_, operands(), {.tuned = &source}).report;
    }
    found_policy find(tuning_database& rows, const find_options& options) override {
        return find_attention<T>(device_, problem_, operands(), rows, options);
    }
    verification verify(const tune::tuning_row& row) override {
        return verify_attention<T>(device_, problem_, operands(), row);
    }

private:
    attention_operands<T> operands() const {
        return {.q = q_.data(), .k = k_.data(), .v = v_.data(), .o = o_.data()};
    }

    Device& device_;
    attention_problem problem_;
    gpu_tensor<Device, T> q_, k_, v_, o_;
};

template <class Device, class T, gemm_kernels Kernels>
class gpu_calls final : public timed_device {
public:
    explicit gpu_calls(int number) : device_(number) {}
    std::unique_ptr<workload> make(const work& w) override {
        if (const auto* const p = std::get_if<gemm_problem>(&w))
            return std::make_unique<gpu_product<Device, T, Kernels>>(device_, *p);
        if (const auto* const p = std::get_if<attention_problem>(&w))
            return std::make_unique<gpu_attention<Device, T>>(device_, *p);
        if (const auto* const c = std::get_if<conv_work>(&w))
            return std::make_unique<convolution<Device, T, gpu_tensor<Device, T>, conv_algorithms{}>>(device_,
                                                                                                      *c);
        return std::make_unique<row_calls<Device, T, gpu_tensor<Device, T>>>(device_, std::get<rows_work>(w));
    }
    std::string dtype() const override { return name(dtype_v<T>); }
    double seconds_to_fill(double numbers) const override {
        constexpr double first = 0.02, each = 1e-9;  // of a few GB/s
        return first + each * numbers;
    }
    static std::unique_ptr<timed_device> open(int number) { return std::make_unique<gpu_calls>(number); }

private:
    Device device_;
};

/// Objects that are linked are there.
struct add_gpu_kind {
    explicit add_gpu_kind(const gpu_kind& one) { gpu_kinds().push_back(one); }
};

}  // namespace fade::tools

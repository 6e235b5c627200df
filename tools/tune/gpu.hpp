// Calls on a GPU that fade-tune tunes: each device, type and part of the operations is an object of its own,
// so that many are compiled at once.
#pragma once
#include "tune/convolution.hpp"
#include "tune/row_operator.hpp"
#include <algorithm>
#include <fade/attention.hpp>
#include <fade/core/dtype_names.hpp>
#include <fade/device/tune/compiling.hpp>
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
    gpu_product(Device& device, const product_work& p)
        : device_(device), problem_(p), split_k_(p.split_k.value_or(1)), a_(device, p.m * p.k * p.batch),
          b_(device, p.k * p.n * p.batch), d_(device, p.m * p.n * p.batch) {}

    void fill() override { a_.fill(), b_.fill(); }
    report plan(const tuned_policies& source) override {
        return plan_gemm<T, T, Kernels>(device_, problem_, operands(), {},
                                        {.split_k = split_k_, .tuned = &source})
            .report;
    }
    found_policy find(tuning_database& rows, const find_options& options) override {
        return find_gemm<T, T, Kernels>(device_, problem_, operands(), rows, options, {}, split_k_);
    }
    verification verify(const tune::tuning_row& row) override {
        return verify_gemm<T, T, Kernels>(device_, problem_, operands(), row, {}, split_k_);
    }

private:
    gemm_operands<T> operands() const { return {.a = a_.data(), .b = b_.data(), .d = d_.data()}; }

    Device& device_;
    gemm_problem problem_;
    int split_k_;
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

/// What makes calls: null for those of other parts.
template <class Device>
using gpu_part = std::unique_ptr<workload> (*)(Device&, const work&);

/// Of objects that are linked.
template <class Device, class T>
std::vector<gpu_part<Device>>& gpu_parts() {
    static std::vector<gpu_part<Device>> all;
    return all;
}

template <class Device, class T>
class gpu_calls final : public timed_device {
public:
    gpu_calls(int number, const std::optional<kernels_on_demand>& kernels)
        : kernels_(kernels ? std::make_unique<tune::kernel_cache>(kernels->options) : nullptr),
          device_(kernels_.get(), number) {
        if (!kernels) return;
        device_.candidates.products.others = kernels->candidates, device_.candidates.max = kernels->max;
    }
    std::unique_ptr<workload> make(const work& w) override {
        for (const gpu_part<Device> part : gpu_parts<Device, T>())
            if (auto call = part(device_, w)) return call;
        return nullptr;
    }
    std::string dtype() const override { return name(dtype_v<T>); }
    bool shares_k() const override { return true; }
    double seconds_to_fill(double numbers) const override {
        constexpr double first = 0.02, each = 1e-9;  // of a few GB/s
        return first + each * numbers;
    }
    static std::unique_ptr<timed_device> open(int number, const std::optional<kernels_on_demand>& kernels) {
        return std::make_unique<gpu_calls>(number, kernels);
    }

private:
    std::unique_ptr<tune::kernel_cache> kernels_;
    Device device_;
};

/// A row or a column that lies along k, however its layout is called: it is read so.
inline bool is_turned(const gemm_problem& p) {
    using enum gemm_layout;
    return p.layout != nt && (p.m == 1 || p.n == 1);
}

/// Products of one layout, whatever their alignment.
template <class Device, class T, gemm_layout Layout>
std::unique_ptr<workload> product_part(Device& device, const work& w) {
    constexpr gemm_kernels kernels = only(operand_access(int(Layout)), operand_access::strided);
    const auto* const p = std::get_if<product_work>(&w);
    if (!p || p->layout != Layout || is_turned(*p)) return nullptr;
    return std::make_unique<gpu_product<Device, T, kernels>>(device, *p);
}
template <class Device, class T>
std::unique_ptr<workload> turned_part(Device& device, const work& w) {
    const auto* const p = std::get_if<product_work>(&w);
    if (!p || !is_turned(*p)) return nullptr;
    return std::make_unique<gpu_product<Device, T, all_accesses>>(device, *p);
}
template <class Device, class T>
std::unique_ptr<workload> attention_part(Device& device, const work& w) {
    const auto* const p = std::get_if<attention_problem>(&w);
    return p ? std::make_unique<gpu_attention<Device, T>>(device, *p) : nullptr;
}
template <class Device, class T, conv_pass Pass>
std::unique_ptr<workload> conv_part(Device& device, const work& w) {
    const auto* const c = std::get_if<conv_work>(&w);
    if (!c || c->pass != Pass) return nullptr;
    return std::make_unique<convolution<Pass, Device, T, gpu_tensor<Device, T>, conv_algorithms{}>>(
        device, c->problem);
}
template <class Device, class T, row_operator What>
std::unique_ptr<workload> rows_part(Device& device, const work& w) {
    const auto* const r = std::get_if<rows_work>(&w);
    if (!r || r->what != What) return nullptr;
    return std::make_unique<row_calls<What, Device, T, gpu_tensor<Device, T>>>(device, *r);
}

/// The part of a name: an object has one, and the others are not compiled.
namespace parts {
template <class Device, class T>
inline constexpr gpu_part<Device> nn = product_part<Device, T, gemm_layout::nn>;
template <class Device, class T>
inline constexpr gpu_part<Device> nt = product_part<Device, T, gemm_layout::nt>;
template <class Device, class T>
inline constexpr gpu_part<Device> tn = product_part<Device, T, gemm_layout::tn>;
template <class Device, class T>
inline constexpr gpu_part<Device> tt = product_part<Device, T, gemm_layout::tt>;
template <class Device, class T>
inline constexpr gpu_part<Device> turned = turned_part<Device, T>;
template <class Device, class T>
inline constexpr gpu_part<Device> attention = attention_part<Device, T>;
template <class Device, class T>
inline constexpr gpu_part<Device> forward = conv_part<Device, T, conv_pass::forward>;
template <class Device, class T>
inline constexpr gpu_part<Device> backward_data = conv_part<Device, T, conv_pass::backward_data>;
template <class Device, class T>
inline constexpr gpu_part<Device> backward_weights = conv_part<Device, T, conv_pass::backward_weights>;
template <class Device, class T>
inline constexpr gpu_part<Device> rms_norm = rows_part<Device, T, row_operator::rms_norm>;
template <class Device, class T>
inline constexpr gpu_part<Device> layer_norm = rows_part<Device, T, row_operator::layer_norm>;
template <class Device, class T>
inline constexpr gpu_part<Device> softmax = rows_part<Device, T, row_operator::softmax>;
template <class Device, class T>
inline constexpr gpu_part<Device> log_softmax = rows_part<Device, T, row_operator::log_softmax>;
}  // namespace parts

/// Objects that are linked are there; the first of a device and type makes it known.
template <class Device, class T>
struct add_gpu_part {
    add_gpu_part(std::string_view kind, gpu_part<Device> one) {
        auto& all = gpu_parts<Device, T>();
        if (all.empty()) gpu_kinds().push_back({kind, name(dtype_v<T>), gpu_calls<Device, T>::open});
        all.push_back(one);
    }
};

}  // namespace fade::tools

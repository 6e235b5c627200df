#include "tune/module_product.hpp"
#include <cmath>
#include <cstring>
#include <fade/core/error.hpp>
#include <random>

namespace fade::tools {

namespace {
using fade::index;

struct sentence {
    char text[400] = "";
    operator tune::module_words() { return {text, sizeof text}; }
};

float rounded(float x, float) { return x; }
f16 rounded(float x, f16) { return to_f16(x); }
bf16 rounded(float x, bf16) { return to_bf16(x); }
float wide(float x) { return x; }
float wide(f16 x) { return to_f32(x); }
float wide(bf16 x) { return to_f32(x); }

template <class F>
auto with_type(dtype type, const F& f) {
    return type == dtype::f32 ? f(float{}) : type == dtype::f16 ? f(f16{}) : f(bf16{});
}

std::vector<char> random_elements(index count, dtype type, std::mt19937& draw) {
    return with_type(type, [&]<class T>(T) {
        std::vector<char> out(std::size_t(count) * sizeof(T));
        std::uniform_real_distribution<float> any(-1, 1);
        for (std::size_t i = 0; i < std::size_t(count); ++i) {
            const T value = rounded(any(draw), T{});
            std::memcpy(out.data() + i * sizeof(T), &value, sizeof(T));
        }
        return out;
    });
}

double element(const std::vector<char>& from, index at, dtype type) {
    return with_type(type, [&]<class T>(T) {
        T value;
        std::memcpy(&value, from.data() + std::size_t(at) * sizeof(T), sizeof(T));
        return double(wide(value));
    });
}
}  // namespace

module_product::module_product(const tune::gemm_module& module, const tune::module_target& target,
                               const gemm_problem& p, dtype type)
    : target_(target), problem_(p), type_(type) {
    std::mt19937 draw{std::random_device{}()};
    a_ = random_elements(p.m * p.k * p.batch, type, draw),
    b_ = random_elements(p.k * p.n * p.batch, type, draw);
    d_.assign(std::size_t(p.m * p.n * p.batch) * with_type(type, []<class T>(T) { return sizeof(T); }),
              '\x7f');
    void* const device = device_of(module);
    sentence said, of_arch, of_traits;
    if (!module.describe(device, said, of_arch, of_traits)) throw error("device", "there", said.text);
    name = said.text, arch = of_arch.text, traits = of_traits.text;
    at_a_ = copied(a_), at_b_ = copied(b_), at_d_ = copied(d_);
}

module_product::~module_product() {
    for (void* at : {at_a_, at_b_, at_d_})
        if (at) devices_.front().module->release(devices_.front().device, at);
    for (const opened& one : devices_) one.module->close(one.device);
}

void* module_product::device_of(const tune::gemm_module& module) {
    for (const opened& one : devices_)
        if (one.module == &module) return one.device;
    sentence why;
    void* const device = module.open(target_, why);
    if (!device) throw error("device", "not to be opened", why.text);
    devices_.push_back({&module, device});
    return device;
}

void* module_product::copied(const std::vector<char>& from) {
    const auto& [module, device] = devices_.front();
    sentence why;
    void* const to = module->allocate(device, from.size(), why);
    if (!to || !module->copy(device, to, from.data(), from.size(), false, why))
        throw error("memory", std::to_string(from.size()) + " bytes", why.text);
    return to;
}

std::string module_product::run(const tune::gemm_module& module) {
    sentence why;
    const bool good =
        module.multiply(device_of(module), problem_, {at_a_, at_b_, nullptr, at_d_}, 1, true, why);
    return good ? "" : why.text;
}

std::string module_product::fault() {
    const auto& [module, device] = devices_.front();
    sentence why;
    if (!module->copy(device, d_.data(), at_d_, d_.size(), true, why)) return why.text;
    // What is there must not pass for what the next module computes.
    const std::vector<char> poison(d_.size(), '\x7f');
    if (!module->copy(device, at_d_, poison.data(), poison.size(), false, why)) return why.text;
    constexpr int drawn = 64;
    std::mt19937 draw{std::random_device{}()};
    const gemm_problem& p = problem_;
    const auto below = [&](index n) { return index(draw() % std::uint64_t(n)); };
    const double half = type_ == dtype::f32 ? 0x1p-24 : type_ == dtype::f16 ? 0x1p-11 : 0x1p-8;
    for (int i = 0; i < drawn; ++i) {
        const index batch = below(p.batch), m = below(p.m), n = below(p.n);
        double sum = 0, size = 0;
        for (index k = 0; k < p.k; ++k) {
            const index a = batch * p.m * p.k + (a_transposed(p.layout) ? k * p.m + m : m * p.k + k),
                        b = batch * p.k * p.n + (b_transposed(p.layout) ? n * p.k + k : k * p.n + n);
            const double product = element(a_, a, type_) * element(b_, b, type_);
            sum += product, size += std::abs(product);
        }
        const double got = element(d_, (batch * p.m + m) * p.n + n, type_),
                     bound = half * std::abs(sum) + 0x1p-23 * double(p.k) * size;
        if (!(std::abs(got - sum) <= bound))
            return "element " + std::to_string(m) + ", " + std::to_string(n) + " is " + std::to_string(got) +
                   ", but must be " + std::to_string(sum);
    }
    return "";
}

}  // namespace fade::tools

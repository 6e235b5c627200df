// Every kind of kernel on an architecture that tests/arch/run added as docs/adding-an-architecture.md says.
#include <cmath>
#include <cstdio>
#include <fade/attention.hpp>
#include <fade/conv.hpp>
#include <fade/gemm.hpp>
#include <fade/norm.hpp>
#include <random>
#include <vector>

using namespace fade;

namespace {

std::mt19937 generator;

template <class T>
std::vector<T> drawn(fade::index count) {
    std::uniform_real_distribution<float> number(-1, 1);
    std::vector<T> out(std::size_t(count), T{});
    for (T& x : out) x = convert<T>(number(generator));
    return out;
}

/// The relative distance of an emulated device's results from the CPU's own kernels'.
template <class T>
bool far(const char* what, const std::vector<T>& got, const std::vector<T>& wanted, double bound) {
    double off = 0, all = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        const double a = convert<float>(got[i]), b = convert<float>(wanted[i]);
        off += (a - b) * (a - b), all += b * b;
    }
    const bool wrong = !(std::sqrt(off) <= bound * std::sqrt(all)) || all == 0;
    std::printf("%s: %.2g of at most %.2g\n", what, std::sqrt(off / all), bound);
    return wrong;
}

/// Does a call, made on both devices, differ? `call(device, results)`.
template <class T, class Call>
bool differs(const char* what, fade::index count, double bound, Call call) {
    emulated_device<arch::gfx1299> made_up;
    host_device host;
    std::vector<T> got(std::size_t(count), convert<T>(-7.0f)), wanted = got;
    call(made_up, got.data()), call(host, wanted.data());
    return far(what, got, wanted, bound);
}

bool wrong_product() {
    const gemm_problem p{.m = 70, .n = 90, .k = 50, .layout = gemm_layout::nt};
    const auto a = drawn<f16>(p.m * p.k), b = drawn<f16>(p.n * p.k);
    return differs<f16>("gemm f16", p.m * p.n, 1e-3, [&](auto& device, f16* d) {
        gemm<f16, f16, only(operand_access::nt, operand_access::strided)>(
            device, p, {.a = a.data(), .b = b.data(), .d = d});
    });
}

bool wrong_attention() {
    const attention_problem p{.heads = 2, .seq_q = 40, .seq_k = 70, .head_dim = 64};
    const auto q = drawn<f16>(2 * 40 * 64), k = drawn<f16>(2 * 70 * 64), v = drawn<f16>(2 * 70 * 64);
    return differs<f16>("attention f16", 2 * 40 * 64, 2e-3, [&](auto& device, f16* o) {
        attention<f16>(device, p, {.q = q.data(), .k = k.data(), .v = v.data(), .o = o});
    });
}

bool wrong_convolution() {
    const conv_problem p{
        .channels = 16, .filters = 24, .input = {.h = 9, .w = 11}, .filter = {.h = 3, .w = 3}};
    const auto x = drawn<float>(9 * 11 * 16), w = drawn<float>(24 * 9 * 16);
    return differs<float>("convolution f32", 7 * 9 * 24, 1e-5, [&](auto& device, float* y) {
        conv_forward<float>(device, p, {.x = x.data(), .w = w.data(), .y = y});
    });
}

bool wrong_norm() {
    const norm_problem p{.rows = 5, .columns = 300};
    const auto x = drawn<float>(1500);
    return differs<float>("rms_norm f32", 1500, 1e-5, [&](auto& device, float* y) {
        rms_norm<float>(device, p, {.x = x.data(), .y = y});
    });
}

}  // namespace

int main() {
    const unsigned seed = std::random_device{}();
    std::printf("FADE_SEED=%u\n", seed);
    generator.seed(seed);
    // By the list as well as by the type.
    const bool unknown = !arch::with_arch(arch::amd{}, "gfx1299", [](auto) {});
    return unknown | wrong_product() | wrong_attention() | wrong_convolution() | wrong_norm();
}

// The registers of an emulated workgroup take no stack of the caller's, who may have little.
#include "common/attention_reference.hpp"
#include "common/some_kernels.hpp"
#include <doctest/doctest.h>
#include <fade/gemm.hpp>
#include <pthread.h>

using namespace fade;

namespace {

constexpr std::size_t small_stack = std::size_t(128) << 10;

/// Calls f on a thread with that stack.
template <class F>
void on_a_small_stack(F f) {
    pthread_attr_t how;
    REQUIRE(pthread_attr_init(&how) == 0);
    REQUIRE(pthread_attr_setstacksize(&how, small_stack) == 0);
    pthread_t thread;
    REQUIRE(pthread_create(
                &thread, &how, [](void* p) -> void* { return (*static_cast<F*>(p))(), nullptr; }, &f) == 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&how);
}

/// Each lane of sixteen waves holds 512 floats, half a megabyte of a workgroup, and stores their sum.
struct many_registers {
    struct arguments {
        float* sums;
    };
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = 16, .shared_bytes = 16};
    }
    template <class Block>
    static void run(Block& block, const arguments& args) {
        per_lane<Block, vec<float, 512>> held;
        const auto memory = block.global(args.sums, args.sums, args.sums + Block::threads);
        block.each_lane([&](lane_coord p) {
            for (int i = 0; i < 512; ++i) held[p][i] = float(p.lane + p.wave * i);
        });
        block.each_lane([&](lane_coord p) {
            float sum = 0;
            for (int i = 0; i < 512; ++i) sum += held[p][i];
            memory.store(std::uint32_t(p.wave * Block::wave_size + p.lane) * 4, sum);
        });
    }
};

}  // namespace

TEST_CASE("attention of wide heads") {
    std::vector<f16> q(64 * 256, to_f16(0.5f)), k(q.size(), to_f16(0.25f)), v(q.size(), to_f16(3.0f)),
        o(q.size());
    test::some_kernels<arch::gfx942, {256, 256, true, false, false}> device({.threads = 2});
    on_a_small_stack([&] {
        attention<f16>(device, {.seq_q = 64, .seq_k = 64, .head_dim = 256},
                       {.q = q.data(), .k = k.data(), .v = v.data(), .o = o.data()}, {.split_kv = 1});
    });
    int wrong = 0;
    for (const f16 x : o) wrong += !(to_f32(x) > 2.99f && to_f32(x) < 3.01f);
    CHECK(wrong == 0);
}

TEST_CASE("a kernel of one's own with many registers") {
    std::vector<float> sums(1024);
    emulated_device<arch::gfx90a> device({.threads = 1});
    on_a_small_stack([&] { device.launch<many_registers>({1, 1, 1}, {sums.data()}); });
    int wrong = 0;
    for (int n = 0; n < 1024; ++n) wrong += sums[std::size_t(n)] != float(n % 64 * 512 + n / 64 * 511 * 256);
    CHECK(wrong == 0);
}

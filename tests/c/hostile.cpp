// Structs of hostile numbers through every function of fade.h, planned only: each is refused or planned, none
// crashes, and a refusal has a sentence. FADE_SEED repeats a run.
#include <cstdlib>
#include <cstring>
#include <doctest/doctest.h>
#include <fade.h>
#include <limits>
#include <random>
#include <string>

namespace {

using engine = std::mt19937_64;

std::int64_t hostile_integer(engine& e) {
    constexpr auto min = std::numeric_limits<std::int64_t>::min(),
                   max = std::numeric_limits<std::int64_t>::max();
    const std::int64_t odd[] = {min,       max,       -1,        0,  1, 2, 16, 64, 1ll << 31, (1ll << 31) - 1,
                                1ll << 32, 1ll << 40, 1ll << 59, -16};
    return e() % 3 ? std::int64_t(e() % 200) : odd[e() % std::size(odd)];
}
double hostile_real(engine& e) {
    const double odd[] = {0,
                          -0.0,
                          1,
                          -1,
                          1e308,
                          1e-308,
                          std::numeric_limits<double>::infinity(),
                          std::numeric_limits<double>::quiet_NaN(),
                          0.5};
    return odd[e() % std::size(odd)];
}

/// Fills all words of a struct behind its size: numbers where it has numbers, and pointers to memory that
/// nobody reads.
template <class S>
S hostile(engine& e, void (*init)(S*, size_t), void* memory) {
    S s;
    init(&s, sizeof s);
    auto* words = reinterpret_cast<unsigned char*>(&s);
    for (std::size_t at = sizeof(size_t); at + 8 <= sizeof s; at += 8) {
        if (e() % 3 == 0) continue;  // as _init left it
        const std::uint64_t kind = e() % 4;
        if (kind == 0) {
            const double x = hostile_real(e);
            std::memcpy(words + at, &x, 8);
        } else if (kind == 1) {
            const void* p = e() % 4 ? static_cast<char*>(memory) + e() % 4096 : nullptr;
            std::memcpy(words + at, &p, 8);
        } else if (kind == 2) {
            const std::int32_t two[] = {std::int32_t(e() % 12) - 1, std::int32_t(e() % 12) - 1};
            std::memcpy(words + at, two, 8);
        } else {
            const std::int64_t x = hostile_integer(e);
            std::memcpy(words + at, &x, 8);
        }
    }
    return s;
}

struct tried {
    int planned = 0, refused = 0;
};

template <class S>
void attempt(engine& e, fade_device* on, void (*init)(S*, size_t),
             fade_status (*call)(fade_device*, const S*, const fade_options*), void* memory, tried& count) {
    S s = hostile(e, init, memory);
    if constexpr (requires { s.stages; }) s.stages = nullptr;  // the library reads these
    fade_plan* plan = nullptr;
    fade_options o;
    fade_options_init(&o, sizeof o);
    o.plan = &plan;
    const fade_status status = call(on, &s, &o);
    if (status == FADE_OK) {
        ++count.planned;
        CHECK(plan != nullptr);
    } else {
        ++count.refused;
        CHECK(plan == nullptr);
        CHECK(status != FADE_INTERNAL);
        CHECK(std::string(fade_last_error()->rule).size() > 5);
    }
    fade_plan_close(plan);
}

void attempt_images(engine& e, fade_device* on, void* memory, tried& count) {
    attempt(e, on, fade_pool_init, e() % 2 ? fade_max_pool : fade_avg_pool, memory, count);
    attempt(e, on, fade_pool_init, e() % 2 ? fade_max_pool_gradient : fade_avg_pool_gradient, memory, count);
    attempt(e, on, fade_batch_norm_init, fade_batch_norm, memory, count);
    attempt(e, on, fade_batch_norm_inference_init, fade_batch_norm_inference, memory, count);
    attempt(e, on, fade_batch_norm_gradient_init, fade_batch_norm_gradient, memory, count);
    attempt(e, on, fade_fold_init, fade_fold_into_filter, memory, count);
    attempt(e, on, fade_upsample_init, e() % 2 ? fade_upsample : fade_upsample_gradient, memory, count);
    attempt(e, on, fade_grid_sample_init, e() % 2 ? fade_grid_sample : fade_grid_sample_gradient, memory,
            count);
}

TEST_CASE("hostile structs are refused or planned") {
    const char* given = std::getenv("FADE_SEED");
    const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    MESSAGE("FADE_SEED=" << seed);
    engine e(seed);
    static char memory[1 << 16];
    fade_device* on = nullptr;
    REQUIRE(fade_device_open("host", nullptr, &on) == FADE_OK);
    tried count;
    for (int i = 0; i < 3000; ++i) {
        attempt(e, on, fade_gemm_init, fade_gemm, memory, count);
        attempt(e, on, fade_grouped_gemm_init, fade_grouped_gemm, memory, count);
        attempt(e, on, fade_batched_gemm_init, fade_batched_gemm, memory, count);
        attempt(e, on, fade_scaled_gemm_init, fade_scaled_gemm, memory, count);
        attempt(e, on, fade_weight_gemm_init, fade_weight_gemm, memory, count);
        attempt(e, on, fade_grouped_k_gemm_init, fade_grouped_k_gemm, memory, count);
        attempt(e, on, fade_grouped_weight_gemm_init, fade_grouped_weight_gemm, memory, count);
        attempt(e, on, fade_moe_route_init, fade_moe_route, memory, count);
        attempt(e, on, fade_moe_dispatch_init, fade_moe_dispatch, memory, count);
        attempt(e, on, fade_moe_combine_init, fade_moe_combine, memory, count);
        attempt(e, on, fade_sgd_init, fade_sgd_step, memory, count);
        attempt(e, on, fade_adamw_init, fade_adamw_step, memory, count);
        attempt(e, on, fade_nonfinite_init, fade_find_nonfinite, memory, count);
        attempt(e, on, fade_attention_init, fade_attention, memory, count);
        attempt(e, on, fade_append_init, fade_append_kv, memory, count);
        attempt(e, on, fade_quantize_init, fade_quantize, memory, count);
        attempt(e, on, fade_norm_init, e() % 2 ? fade_rms_norm : fade_layer_norm, memory, count);
        attempt(e, on, fade_norm_gradient_init, e() % 2 ? fade_rms_norm_gradient : fade_layer_norm_gradient,
                memory, count);
        attempt(e, on, fade_softmax_init, e() % 2 ? fade_softmax : fade_log_softmax, memory, count);
        attempt(e, on, fade_softmax_gradient_init, fade_softmax_gradient, memory, count);
        attempt(e, on, fade_cross_entropy_init, fade_cross_entropy, memory, count);
        attempt(e, on, fade_cross_entropy_gradient_init, fade_cross_entropy_gradient, memory, count);
        attempt(e, on, fade_reduce_init, e() % 2 ? fade_sum : fade_max, memory, count);
        attempt(e, on, fade_top_k_init, fade_top_k, memory, count);
        attempt(e, on, fade_rotary_init, e() % 2 ? fade_rotary : fade_rotary_gradient, memory, count);
        attempt(e, on, fade_sort_init, e() % 2 ? fade_sort : fade_sort_pairs, memory, count);
        attempt(e, on, fade_scan_init, e() % 2 ? fade_inclusive_scan : fade_exclusive_scan, memory, count);
        attempt(e, on, fade_select_init, fade_select, memory, count);
        attempt(e, on, fade_reduce_list_init, e() % 2 ? fade_reduce : fade_segmented_reduce, memory, count);
        attempt(e, on, fade_histogram_init, fade_histogram, memory, count);
        attempt(e, on, fade_list_top_k_init, fade_list_top_k, memory, count);
        attempt(e, on, fade_conv_init,
                e() % 3 == 0 ? fade_conv_forward
                : e() % 2    ? fade_conv_backward_data
                             : fade_conv_backward_weights,
                memory, count);
        attempt_images(e, on, memory, count);
    }
    MESSAGE(count.planned << " planned, " << count.refused << " refused");
    CHECK(count.planned > 0);
    CHECK(count.refused > 0);
    fade_device_close(on);
}

}  // namespace

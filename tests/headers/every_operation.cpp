// Every operation of every public header, as a user's program instantiates them: on the host, and with
// EMULATED on emulated GPUs whose matrix instructions differ. It is compiled with a user's flags, and never
// run.
#include <fade/attention.hpp>
#include <fade/batch_norm.hpp>
#include <fade/batched_gemm.hpp>
#include <fade/conv.hpp>
#include <fade/device.hpp>
#include <fade/gemm.hpp>
#include <fade/grid_sample.hpp>
#include <fade/grouped_gemm.hpp>
#include <fade/kv_cache.hpp>
#include <fade/moe.hpp>
#include <fade/norm.hpp>
#include <fade/optimizer.hpp>
#include <fade/pool.hpp>
#include <fade/primitives.hpp>
#include <fade/quantize.hpp>
#include <fade/reduce.hpp>
#include <fade/rotary.hpp>
#include <fade/scaled_gemm.hpp>
#include <fade/softmax.hpp>
#include <fade/tile.hpp>
#include <fade/upsample.hpp>
#include <fade/weight_gemm.hpp>

template <class In, class Out, class Device>
void multiply(Device& device, const Out* values) {
    const auto chain = fade::bias(values) | fade::gelu() | fade::residual(values, 64);
    fade::gemm<In, Out>(device, {}, {}, chain);
    fade::plan_gemm<In, Out>(device, {}, {});
    fade::batched_gemm<In, Out, fade::only(fade::operand_access::nn)>(device, {}, {}, fade::bias(values));
}

template <class T, class Device>
void multiply_and_add(Device& device, const T* values, T* sums) {
    using fade::operand_access;
    const auto chain = fade::drelu(values) | fade::row_sums(sums) | fade::column_sums(sums);
    fade::gemm<T, T, fade::only(operand_access::nn)>(device, {}, {}, chain);
    fade::plan_gemm<T, T, fade::only(operand_access::nn)>(device, {}, {}, chain);
}

template <class In, class Device>
void multiply_weights(Device& device, const In* values) {
    fade::weight_gemm<fade::weights::gptq(), In>(device, {}, {}, fade::bias(values) | fade::gelu());
    fade::weight_gemm<fade::weights::awq(), In, float>(device, {}, {});
    fade::plan_weight_gemm<fade::weights::mxfp4(), In>(device, {}, {});
    fade::grouped_weight_gemm<fade::weights::gptq(), In>(device, {}, {}, fade::bias(values) | fade::silu());
    fade::plan_grouped_weight_gemm<fade::weights::awq(), In>(device, {}, {});
}

template <class T, class Device>
void convolve(Device& device, const T* values) {
    fade::conv_forward<T>(device, {}, {}, fade::bias(values) | fade::relu());
    fade::conv_backward_data<T>(device, {}, {});
    fade::conv_backward_weights<T>(device, {}, {});
    fade::plan_conv_forward<T>(device, {}, {});
}

template <class T, class Device>
void by_experts(Device& device, const T* values, int* places, float* weights) {
    const auto chain = fade::batch_bias(values) | fade::silu() | fade::mul(values) | fade::scale_rows(values);
    fade::grouped_gemm<T>(device, {}, {}, chain);
    fade::plan_grouped_gemm<T>(device, {}, {});
    fade::grouped_k_gemm<T>(device, {}, {}, chain);
    fade::plan_grouped_k_gemm<T>(device, {}, {});
    fade::moe_route(device, {}, values, places, weights);
    fade::moe_dispatch(device, {}, {});
    fade::moe_combine<T>(device, {}, {});
}

template <class T, class Device>
void over_images(Device& device, const T* x, T* y) {
    fade::max_pool<T>(device, {}, {});
    fade::max_pool_gradient<T>(device, {}, {});
    fade::avg_pool<T>(device, {}, {});
    fade::avg_pool_gradient<T>(device, {}, {});
    fade::batch_norm<T>(device, {}, {});
    fade::batch_norm_inference<T>(device, {}, {});
    fade::batch_norm_gradient<T>(device, {}, {});
    fade::fold_into_filter<T>(device, {}, {});
    fade::upsample(device, {}, x, y);
    fade::upsample_gradient(device, {}, x, y);
    fade::grid_sample<T>(device, {}, {});
    fade::grid_sample_gradient<T>(device, {}, {});
}

template <class In, class Device>
void by_scales(Device& device, const float* values) {
    fade::scaled_gemm<In, fade::bf16>(device, {}, {}, fade::bias(values) | fade::silu());
    fade::plan_scaled_gemm<In, float>(device, {}, {});
}

template <class In, class Out, class Device>
void attend(Device& device) {
    fade::attention<In, Out>(device, {}, {});
    fade::append_kv<In>(device, {}, {});
    if constexpr (sizeof(In) > 1) fade::quantize<fade::f8e4m3, In>(device, {}, {});
}

template <class T, class Device>
void by_rows(Device& device, const T* x, T* y, int* places) {
    fade::rms_norm<T>(device, {}, {});
    fade::layer_norm<T, fade::i8>(device, {}, {});
    fade::layer_norm_gradient<T>(device, {}, {});
    fade::softmax(device, {}, x, y);
    fade::cross_entropy<T>(device, {}, {});
    fade::rotary<T>(device, {}, {});
    fade::max(device, {}, x, y, places);
    fade::top_k(device, {}, x, y, places);
    fade::sgd_step<T>(device, {}, {});
    fade::adamw_step<float, T>(device, {}, {});
    fade::find_nonfinite(device, 0, x, nullptr);
}

template <class K, class Device>
void by_lists(Device& device, const K* x, K* y, int* places, fade::reduced_t<K>* out) {
    fade::sort(device, {}, x, y);
    fade::sort_pairs(device, {}, x, places, y, places);
    fade::inclusive_scan(device, {}, places, places);
    fade::exclusive_scan(device, {}, places, places);
    fade::select(device, {}, x, nullptr, y, places);
    fade::reduce(device, {}, x, out);
    fade::segmented_reduce(device, {}, x, places, out);
    fade::histogram(device, {}, x, places);
    fade::list_top_k(device, {}, x, y, places);
}

/// Rows of softmax(A B^T) B, of one tile.
template <class T>
struct tiles_of_own {
    struct arguments {
        const T *a, *b;
        T* d;
        int rows;
    };
    template <class Arch>
    struct tiles {
        using a = fade::tile::kept_tile<Arch, T, 64, 64, 2>;
        using b = fade::tile::b_tile<Arch, T, 64, 64>;
        using p = fade::tile::chained_tile<a, b>;
        using c = fade::tile::b_tile<Arch, T, 64, 64, fade::tile::memory_order::row_contiguous>;
        using shared = fade::tile::tile_set<a, b, p, c>;
    };
    template <class Arch>
    static constexpr fade::launch_shape shape() {
        return fade::tile::shape_of<Arch, typename tiles<Arch>::shared>(2);
    }
    template <class Block, class Tiles = tiles<typename Block::arch>>
    FADE_FN static void run(Block& block, const arguments& x) {
        const auto [a_tile, b_tile, p_tile, c_tile] = typename Tiles::shared();
        fade::tile::operand_a a(block, a_tile, fade::tile::matrix(x.a, x.rows, 64, 64));
        fade::tile::copy(block, b_tile, fade::tile::matrix(x.b, 64, 64, 64));
        fade::tile::copy(block, c_tile, fade::tile::matrix(x.b, 64, 64, 64));
        block.sync();
        fade::tile::operand_b b(block, b_tile);
        fade::tile::operand_b c(block, c_tile);
        fade::tile::operand_p p(block, p_tile);
        fade::tile::accumulator<Block, typename Tiles::a, typename Tiles::b> scores(block);
        fade::tile::accumulator<Block, typename Tiles::a, typename Tiles::c> out(block);
        fade::tile::online_softmax softmax(block, scores, 1.0f);
        fade::tile::row_values squares(block, scores);
        fade::tile::mma(block, scores, a, b);
        fade::tile::add_rows(block, squares, a_tile, [](float e) { return e * e; });
        fade::tile::causal_mask(block, scores, 3);
        softmax.update(block, scores, out);
        fade::tile::mma_chain(block, out, scores, p, c);
        softmax.finish(block, out);
        fade::tile::mul_row(block, out, squares);
        fade::tile::store(block, out, fade::tile::matrix(x.d, x.rows, 64, 64));
    }
};

template <class T, class Device>
void by_tiles(Device& device) {
    device.template launch<tiles_of_own<T>>({1}, {nullptr, nullptr, nullptr, 0});
}

using host = fade::host_device;
template void by_tiles<fade::bf16>(host&);
template void by_lists<float>(host&, const float*, float*, int*, float*);
template void by_lists<fade::bf16>(host&, const fade::bf16*, fade::bf16*, int*, float*);
template void by_rows<float>(host&, const float*, float*, int*);
template void by_experts<float>(host&, const float*, int*, float*);
template void by_experts<fade::bf16>(host&, const fade::bf16*, int*, float*);
template void over_images<float>(host&, const float*, float*);
template void over_images<fade::f16>(host&, const fade::f16*, fade::f16*);
template void convolve<float>(host&, const float*);
template void convolve<fade::bf16>(host&, const fade::bf16*);
template void multiply<float, float>(host&, const float*);
template void multiply<double, double>(host&, const double*);
template void multiply<fade::f16, fade::f16>(host&, const fade::f16*);
template void multiply<fade::bf16, fade::bf16>(host&, const fade::bf16*);
template void multiply<fade::f8e4m3, fade::bf16>(host&, const fade::bf16*);
template void multiply<fade::i8, fade::i32>(host&, const fade::i32*);
template void multiply_and_add<float>(host&, const float*, float*);
template void by_scales<fade::f8e4m3>(host&, const float*);
template void multiply_weights<fade::f16>(host&, const fade::f16*);
template void attend<float, float>(host&);
template void attend<fade::bf16, fade::bf16>(host&);
template void attend<fade::f8e4m3, fade::f16>(host&);

#ifdef EMULATED
using cdna = fade::emulated_device<fade::arch::gfx942>;
using rdna = fade::emulated_device<fade::arch::gfx1100>;
using hopper = fade::emulated_device<fade::arch::sm_90a>;
template void multiply<double, double>(cdna&, const double*);
template void convolve<fade::f16>(rdna&, const fade::f16*);
template void by_experts<fade::f16>(cdna&, const fade::f16*, int*, float*);
template void over_images<fade::bf16>(rdna&, const fade::bf16*, fade::bf16*);
template void by_tiles<fade::f16>(cdna&);
template void by_tiles<fade::f16>(rdna&);
template void multiply<fade::f16, fade::f16>(cdna&, const fade::f16*);
template void multiply<fade::i8, fade::i32>(rdna&, const fade::i32*);
void by_a_policy(rdna& device) {
    constexpr fade::gemm_policy own{.block_tile = {32, 64, 32}, .wave_tile = {32, 32}};
    fade::gemm<fade::f16, float, fade::with_policy(own, fade::only(fade::operand_access::tn))>(device, {},
                                                                                               {});
}
void attend_by_a_policy(rdna& device) {
    constexpr fade::attention_policy own{.wave_queries = 16, .keys = 32, .head_dim = 64};
    fade::attention<fade::f16, float, fade::with_policy(own)>(device, {}, {});
}
template void multiply_weights<fade::bf16>(rdna&, const fade::bf16*);
template void multiply<fade::bf16, fade::bf16>(rdna&, const fade::bf16*);
template void by_scales<fade::f8e4m3fnuz>(cdna&, const float*);
template void attend<fade::f16, fade::f16>(cdna&);
template void by_rows<fade::bf16>(rdna&, const fade::bf16*, fade::bf16*, int*);
template void attend<float, float>(rdna&);
template void attend<fade::bf16, fade::bf16>(hopper&);
template void attend<fade::f8e4m3, fade::bf16>(cdna&);
#endif

std::size_t devices() { return fade::query_devices().size(); }

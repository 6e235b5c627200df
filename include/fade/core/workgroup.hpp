// What kernels may ask of the workgroup that runs them, whatever runs it.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <fade/core/config.hpp>
#include <fade/core/lane_coord.hpp>
#include <fade/core/tensor_map.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE {

namespace detail {

/// Called with a wave, or a lane of it, and does nothing.
struct no_work {
    template <class Place>
    FADE_FN void operator()(Place) const {}
};

}  // namespace detail

/// A workgroup of any backend: the block that a kernel is a function of. docs/architecture.md says what each
/// member does; backend/*/block.hpp how.
template <class Block>
concept workgroup =
    requires(Block& block, lane_coord p, wave_coord w, std::uint32_t offset, float x, const void* memory) {
        typename Block::arch;
        typename Block::buffer;
        requires Block::threads == Block::waves* Block::wave_size;
        requires Block::held >= 1 && Block::wave_held >= 1;
        requires std::same_as<decltype(Block::emulated), const bool>;
        { block.id_x() } -> std::same_as<int>;
        { block.id_y() } -> std::same_as<int>;
        { block.id_z() } -> std::same_as<int>;
        block.await_inputs();
        block.sync();
        block.each_wave(detail::no_work{});
        block.each_lane(detail::no_work{});
        block.each_lane_of(w, detail::no_work{});
        block.keep(offset), block.keep(x);
        { block.template pick_bytes<0x3210>(offset, offset) } -> std::same_as<std::uint32_t>;
        { block.multiply_add(vec<float, 2>{}, x, x) } -> std::same_as<vec<float, 2>>;
        { block.any_lane(true) } -> std::same_as<bool>;
        { Block::uniform(0) } -> std::same_as<int>;
        { block.exp2(x) } -> std::same_as<float>;
        { block.log2(x) } -> std::same_as<float>;
        { block.reciprocal(x) } -> std::same_as<float>;
        { block.maximum(x, x) } -> std::same_as<float>;
        { block.global(memory, memory, memory) } -> std::same_as<typename Block::buffer>;
        block.global_bounded(memory, memory);
        { block.template load_shared<vec<float, 4>>(p, offset) } -> std::same_as<vec<float, 4>>;
        block.store_shared(p, offset, x);
    };

/// One whose waves have lanes of their own: GPUs, and those that are emulated. The host's has one lane.
template <class Block>
concept wave_workgroup =
    workgroup<Block> && requires(Block& block, lane_coord p, float x, const void* memory) {
        requires Block::wave_size > 1;
        { block.template load_anywhere<vec<float, 4>>(true, memory) } -> std::same_as<vec<float, 4>>;
        { block.reload_arguments(x) } -> std::same_as<const float&>;
        { block.copy_arguments(x) } -> std::same_as<float>;
        { block.shuffle_xor(p, &x, 1) } -> std::same_as<float>;
    };

/// One whose lanes start copies to shared memory that pass their registers by, and wait for them later.
template <class Block>
concept async_workgroup =
    wave_workgroup<Block> && requires(Block& block, lane_coord p, std::uint32_t offset,
                                      const typename Block::buffer& from, const void* memory) {
        block.copy_async(p, offset, from, offset);
        block.copy_async(p, offset, memory, true);
        block.commit_async();
        block.template wait_async<1>();
    };

/// One whose waves multiply together, from shared memory, while hardware copies boxes of tensors there.
template <class Block>
concept matrix_workgroup =
    async_workgroup<Block> && requires(Block& block, std::uint32_t offset, float x, const tensor_map& map,
                                       const tile_source& source, const box_place& at) {
        block.commit_matrix();
        block.template wait_matrix<1>();
        block.fence_registers(x);
        block.discard(x);
        block.meet();
        block.begin_arrivals(offset, 1);
        block.expect(offset, 1);
        block.copy_box(offset, map, source, at, offset);
        block.await_arrival(offset, 1);
        block.arrive(offset);
        block.publish();
        block.store_box(offset, map, source, at);
        block.commit_boxes(0);
        block.template await_boxes<1>(0);
        block.meet_group();
        block.meet_producers();
        block.meet_roles();
        block.one_lane_of_group(detail::no_work{});
        { block.vote(true) } -> std::same_as<bool>;
    };

}  // namespace FADE_NAMESPACE

// An operator over images as its runners take it, whatever the types.
#pragma once
#include "../runner.hpp"
#include <array>
#include <fade/kernel/batch_norm/problem.hpp>
#include <fade/kernel/pool/problem.hpp>
#include <fade/kernel/sample/problem.hpp>
#include <string_view>

namespace fade::bench {

enum class image_operator { max_pool, avg_pool, batch_norm, batch_norm_inference, upsample, grid_sample };

/// The tensors that operators over images know; their names are those of image_tensor_names.
enum class image_slot {
    x,
    grid,
    weight,
    bias,
    mean,
    variance,
    inverse_root,
    indices,
    dy,
    y,
    dx,
    dgrid,
    dweight,
    dbias
};
inline constexpr std::string_view image_tensor_names[] = {
    "x",       "grid", "weight", "bias", "mean",  "variance", "inverse_root",
    "indices", "dy",   "y",      "dx",   "dgrid", "dweight",  "dbias"};

/// What is asked of an operator: of the four, the one that it takes; all have the same images.
struct image_problem {
    image_operator op{};
    bool backward = false;
    pool_problem pool{};
    batch_norm_problem norm{};
    upsample_problem up{};
    grid_sample_problem grid{};

    bool pools() const { return op <= image_operator::avg_pool; }
    bool norms() const {
        return op == image_operator::batch_norm || op == image_operator::batch_norm_inference;
    }
    index batch() const { return pool.batch; }
    int channels() const { return pool.channels; }
    bool channels_first() const { return pool.layout == conv_layout::channels_first; }
    spatial input() const { return pool.input; }
    spatial output() const { return pools() ? pool.output() : norms() ? pool.input : up.output; }
};

/// A problem with the memory of its tensors; null: not there.
struct image_call {
    image_problem problem{};
    bool strict = false;
    std::array<void*, std::size(image_tensor_names)> memory{};
    void* workspace = nullptr;  ///< null: the device's own
    std::size_t workspace_bytes = 0;

    template <class T>
    T* at(image_slot slot) const {
        return static_cast<T*>(memory[std::size_t(slot)]);
    }
};

using image_runner = runner<image_call>;

}  // namespace fade::bench

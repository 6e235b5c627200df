// Operators over images of each type (FADE_C_TYPES).
#include "spatial.hpp"
#include "types.hpp"
#include <fade/batch_norm.hpp>
#include <fade/grid_sample.hpp>
#include <fade/pool.hpp>
#include <fade/upsample.hpp>

namespace fade::c {
namespace {

template <class T>
const T* in(const void* p) {
    return static_cast<const T*>(p);
}
template <class T>
T* out(void* p) {
    return static_cast<T*>(p);
}

pool_problem problem_of(const fade_pool_args& a) {
    return {.batch = a.batch,
            .channels = a.channels,
            .input = sizes_of(a.input),
            .window = sizes_of(a.window),
            .stride = sizes_of(a.stride),
            .dilation = sizes_of(a.dilation),
            .pad = margins_of(a.pad),
            .pad_end = margins_of(a.pad_end),
            .ceil_mode = a.ceil_mode != 0,
            .count_include_pad = a.count_include_pad != 0,
            .layout = conv_layout(a.layout)};
}

template <operation Op, class T>
report call(device& on, const fade_pool_args& a, const operation_options& o) {
    const pool_problem p = problem_of(a);
    if constexpr (Op == operation::max_pool)
        return max_pool<T>(on, p, {in<T>(a.x), out<T>(a.y), a.indices}, o);
    else if constexpr (Op == operation::max_pool_gradient)
        return max_pool_gradient<T>(on, p, {in<T>(a.dy), a.indices, out<T>(a.dx)}, o);
    else if constexpr (Op == operation::avg_pool)
        return avg_pool<T>(on, p, {in<T>(a.x), out<T>(a.y)}, o);
    else
        return avg_pool_gradient<T>(on, p, {in<T>(a.dy), out<T>(a.dx)}, o);
}

template <class Arguments>
batch_norm_problem normalised(const Arguments& a) {
    batch_norm_problem p{
        .batch = a.batch, .channels = a.channels, .size = sizes_of(a.image), .layout = conv_layout(a.layout)};
    if constexpr (requires { a.epsilon; }) p.epsilon = a.epsilon;
    if constexpr (requires { a.momentum; }) p.momentum = a.momentum;
    return p;
}

template <operation Op, class T>
report call(device& on, const fade_batch_norm_args& a, const operation_options& o) {
    return batch_norm<T>(on, normalised(a),
                         {.x = in<T>(a.x),
                          .y = out<T>(a.y),
                          .weight = a.weight,
                          .bias = a.bias,
                          .mean = a.mean,
                          .inverse_root = a.inverse_root,
                          .running_mean = a.running_mean,
                          .running_variance = a.running_variance},
                         o);
}

template <operation Op, class T>
report call(device& on, const fade_batch_norm_inference_args& a, const operation_options& o) {
    return batch_norm_inference<T>(on, normalised(a),
                                   {.x = in<T>(a.x),
                                    .y = out<T>(a.y),
                                    .weight = a.weight,
                                    .bias = a.bias,
                                    .mean = a.mean,
                                    .variance = a.variance},
                                   o);
}

template <operation Op, class T>
report call(device& on, const fade_batch_norm_gradient_args& a, const operation_options& o) {
    return batch_norm_gradient<T>(on, normalised(a),
                                  {.x = in<T>(a.x),
                                   .dy = in<T>(a.dy),
                                   .weight = a.weight,
                                   .mean = a.mean,
                                   .inverse_root = a.inverse_root,
                                   .dx = out<T>(a.dx),
                                   .dweight = a.dweight,
                                   .dbias = a.dbias},
                                  o);
}

template <operation Op, class T>
report call(device& on, const fade_fold_args& a, const operation_options& o) {
    return fold_into_filter<T>(on, {.filters = a.filters, .elements = a.elements, .epsilon = a.epsilon},
                               {.filter = in<T>(a.filter),
                                .folded = out<T>(a.folded),
                                .bias = a.bias,
                                .folded_bias = a.folded_bias,
                                .weight = a.weight,
                                .shift = a.shift,
                                .mean = a.mean,
                                .variance = a.variance},
                               o);
}

template <operation Op, class T>
report call(device& on, const fade_upsample_args& a, const operation_options& o) {
    const upsample_problem p{.batch = a.batch,
                             .channels = a.channels,
                             .input = sizes_of(a.input),
                             .output = sizes_of(a.output),
                             .mode = upsample_mode(a.mode),
                             .align_corners = a.align_corners != 0,
                             .layout = conv_layout(a.layout)};
    if constexpr (Op == operation::upsample)
        return upsample<T>(on, p, in<T>(a.x), out<T>(a.y), o);
    else
        return upsample_gradient<T>(on, p, in<T>(a.dy), out<T>(a.dx), o);
}

template <operation Op, class T>
report call(device& on, const fade_grid_sample_args& a, const operation_options& o) {
    const grid_sample_problem p{.batch = a.batch,
                                .channels = a.channels,
                                .input = sizes_of(a.input),
                                .output = sizes_of(a.output),
                                .dimensions = a.dimensions,
                                .mode = grid_mode(a.mode),
                                .padding = grid_padding(a.padding),
                                .align_corners = a.align_corners != 0,
                                .layout = conv_layout(a.layout)};
    if constexpr (Op == operation::grid_sample)
        return grid_sample<T>(on, p, {.x = in<T>(a.x), .grid = a.grid, .y = out<T>(a.y)}, o);
    else
        return grid_sample_gradient<T>(
            on, p, {.x = in<T>(a.x), .grid = a.grid, .dy = in<T>(a.dy), .dx = out<T>(a.dx), .dgrid = a.dgrid},
            o);
}

template <operation Op, class T, class Arguments>
struct image_runner {
    using arguments = Arguments;
    static outcome run(device& on, const arguments& a, const manner& how) {
        operation_plan plan;
        report said = call<Op, T>(on, a, options_of(how, plan));
        return outcome_of(std::move(said), std::move(plan));
    }
};

/// Enters operations that have the same struct.
template <class T, class Arguments, operation... Ops>
void add_images() {
    (add_caller<Ops, T, T, image_runner<Ops, T, Arguments>>(), ...);
}

template <class T>
void add() {
    using enum operation;
    add_images<T, fade_pool_args, max_pool, max_pool_gradient, avg_pool, avg_pool_gradient>();
    add_images<T, fade_batch_norm_args, batch_norm>();
    add_images<T, fade_batch_norm_inference_args, batch_norm_inference>();
    add_images<T, fade_batch_norm_gradient_args, batch_norm_gradient>();
    add_images<T, fade_fold_args, fold_into_filter>();
    add_images<T, fade_upsample_args, upsample, upsample_gradient>();
    add_images<T, fade_grid_sample_args, grid_sample, grid_sample_gradient>();
}
const bool added = of_each_type([]<class T>(type_of<T>) { add<T>(); });

}  // namespace
}  // namespace fade::c

// Steps of optimizers: each parameter, its state and its gradient are read once and written once.
#pragma once
#include <bit>
#include <cstdint>
#include <fade/block/ranges.hpp>
#include <fade/kernel/image/run.hpp>

namespace FADE_NAMESPACE::kernel {

/// Runs of parameters that a workgroup takes.
inline constexpr int runs_of_step = 256;

template <class Gradient, class Copy>
struct sgd_arguments {
    const Gradient* gradient;
    float *master, *velocity;
    Copy* copy;
    const float* nonfinite;
    index count;
    float rate, momentum, weight_decay, inverse_scale;
    bool nesterov;
};

/// `rate` is divided by 1 - beta1^step, and `root_correction` is 1 / sqrt(1 - beta2^step).
template <class Gradient, class Copy>
struct adamw_arguments {
    const Gradient* gradient;
    float *master, *first_moment, *second_moment;
    Copy* copy;
    const float* nonfinite;
    index count;
    float rate, decayed, beta1, beta2, epsilon, root_correction, inverse_scale;
};

template <int Length>
struct run_of_parameters {
    index first;
};

/// Calls f for the runs that a workgroup takes; a last one that is cut short is taken one by one.
template <int Run, class Block, class F>
FADE_FN void each_run(Block& block, index count, F f) {
    const index begin = index(block.id_x()) * runs_of_step,
                end = min_of<index>(begin + runs_of_step, ceil_div<index>(count, Run));
    block::each_of(block, block::item_range{begin, end}, [&](index run) FADE_LAMBDA {
        const index first = run * Run, behind = first + Run;
        if (behind <= count) return f(run_of_parameters<Run>{first});
        for (index i = first; i < count; ++i) f(run_of_parameters<1>{i});
    });
}

template <class Args>
FADE_FN bool is_skipped(const Args& a) {
    return a.nonfinite && *a.nonfinite != 0;
}

template <int Run, class Block, class Args>
FADE_FN void sgd_body(Block& block, const Args& a) {
    if (is_skipped(a)) return;
    each_run<Run>(block, a.count, [&]<int N>(run_of_parameters<N> run) FADE_LAMBDA {
        auto w = load_run<N>(a.master + run.first), step = load_run<N>(a.gradient + run.first);
        unrolled<N>([&](int i) FADE_LAMBDA { step[i] = step[i] * a.inverse_scale + a.weight_decay * w[i]; });
        if (a.velocity) {
            auto v = load_run<N>(a.velocity + run.first);
            unrolled<N>([&](int i) FADE_LAMBDA {
                v[i] = a.momentum * v[i] + step[i];
                step[i] = a.nesterov ? step[i] + a.momentum * v[i] : +v[i];
            });
            store_run<N>(a.velocity + run.first, v);
        }
        unrolled<N>([&](int i) FADE_LAMBDA { w[i] -= a.rate * step[i]; });
        store_run<N>(a.master + run.first, w);
        if (a.copy) store_run<N>(a.copy + run.first, w);
    });
}

template <int Run, class Block, class Args>
FADE_FN void adamw_body(Block& block, const Args& a) {
    if (is_skipped(a)) return;
    each_run<Run>(block, a.count, [&]<int N>(run_of_parameters<N> run) FADE_LAMBDA {
        auto w = load_run<N>(a.master + run.first), m = load_run<N>(a.first_moment + run.first),
             v = load_run<N>(a.second_moment + run.first);
        const auto gradient = load_run<N>(a.gradient + run.first);
        unrolled<N>([&](int i) FADE_LAMBDA {
            const float g = gradient[i] * a.inverse_scale;
            m[i] = a.beta1 * m[i] + (1 - a.beta1) * g;
            v[i] = a.beta2 * v[i] + (1 - a.beta2) * g * g;
            const float root = __builtin_sqrtf(v[i]) * a.root_correction + a.epsilon;
            w[i] = a.decayed * w[i] - a.rate * m[i] / root;
        });
        store_run<N>(a.first_moment + run.first, m), store_run<N>(a.second_moment + run.first, v);
        store_run<N>(a.master + run.first, w);
        if (a.copy) store_run<N>(a.copy + run.first, w);
    });
}

/// Workgroups share the search for what is not finite; a second launch joins what they found.
inline constexpr int nonfinite_items = 1 << 14, max_nonfinite_parts = 1024;

template <class T>
struct nonfinite_arguments {
    const T* gradient;
    float *nonfinite, *found;  ///< found: of each part
    index count;
    int parts;
};

/// 1 of NaN and infinity, else 0. By bits: compilers that are told of neither forget comparisons.
FADE_FN float not_finite(float x) {
    return (std::bit_cast<std::uint32_t>(x) & 0x7f800000u) == 0x7f800000u ? 1.0f : 0.0f;
}

template <class Block, class Args>
FADE_FN void find_nonfinite_body(Block& block, const Args& a) {
    const index share = ceil_div<index>(a.count, a.parts), first = share * block.id_x(),
                end = min_of<index>(first + share, a.count);
    block::with_max(
        block, block::item_range{first, end},
        [&](index i) { return not_finite(convert<float>(a.gradient[i])); },
        [&](float found) { a.found[block.id_x()] = found; });
}

template <class Block, class Args>
FADE_FN void join_nonfinite_body(Block& block, const Args& a) {
    block::with_max(
        block, block::item_range{0, a.parts}, [&](int part) { return a.found[part]; },
        [&](float found) { *a.nonfinite = found; });
}

}  // namespace FADE_NAMESPACE::kernel

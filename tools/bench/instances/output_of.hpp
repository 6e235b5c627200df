// The output types that this program holds for each input type.
#pragma once
#include <fade/core/dtype.hpp>

namespace fade::bench {

template <class In>
struct output_of {
    using type = In;
};
template <>
struct output_of<f8e4m3> {
    using type = bf16;
};
template <>
struct output_of<f8e5m2> {
    using type = bf16;
};
template <>
struct output_of<f8e4m3fnuz> {
    using type = bf16;
};
template <>
struct output_of<f8e5m2fnuz> {
    using type = bf16;
};
template <>
struct output_of<i8> {
    using type = i32;
};

template <class In>
using output_t = typename output_of<In>::type;

/// What an instance makes of its inputs: what its build says, or what is usual.
#ifdef FADE_BENCH_OUT
template <class In>
using instance_output = fade::FADE_BENCH_OUT;
#else
template <class In>
using instance_output = output_t<In>;
#endif

}  // namespace fade::bench

// The output types that this program holds for each input type.
#pragma once
#include <fade/core/dtype.hpp>
#include <type_traits>

namespace fade::bench {

/// Sums of bytes are i32, and those of 8-bit floats bf16.
template <class In>
using output_t =
    std::conditional_t<std::is_same_v<In, i8>, i32, std::conditional_t<sizeof(In) == 1, bf16, In>>;

/// What an instance makes of its inputs: what its build says, or what is usual.
#ifdef FADE_BENCH_OUT
template <class In>
using instance_output = fade::FADE_BENCH_OUT;
#else
template <class In>
using instance_output = output_t<In>;
#endif

}  // namespace fade::bench

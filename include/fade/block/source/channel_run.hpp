// A few neighbouring channels of a pixel, which one lane has in registers.
#pragma once
#include <cstdint>
#include <fade/backend/buffer.hpp>
#include <fade/backend/runs.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/vec.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::block {

/// The run from `element` on, in the type of sums of its products; zeros where it is not there.
template <class In, int Run, class Memory>
FADE_FN vec<accumulator_t<In>, Run> load_channels(const Memory& from, bool there, std::uint32_t element) {
    return backend::widened_run<accumulator_t<In>>(
        from.template load<vec<In, Run>>(there ? element * std::uint32_t(sizeof(In)) : backend::outside));
}

/// Stores f(i, sums[i]) for all of a run, in pieces of at most 16 bytes.
template <class Out, class T, int Run, class Memory, class F>
FADE_FN void store_channels(const Memory& to, int element, const vec<T, Run>& sums, F f) {
    constexpr int piece = Run * int(sizeof(Out)) <= 16 ? Run : 16 / int(sizeof(Out));
    FADE_UNROLL
    for (int first = 0; first < Run; first += piece) {
        vec<Out, piece> part;
        FADE_UNROLL
        for (int e = 0; e < piece; ++e) part[e] = f(first + e, sums[first + e]);
        to.store(std::uint32_t(element + first) * std::uint32_t(sizeof(Out)), part);
    }
}

/// Stores a whole run. Of a type that sums do not have, element by element.
template <class Out, class T, int Run, class Memory>
FADE_FN void store_run(const Memory& to, int element, const vec<T, Run>& sums) {
    if constexpr (std::is_same_v<Out, T>)
        to.store(std::uint32_t(element) * std::uint32_t(sizeof(Out)), sums);
    else
        store_channels<Out>(to, element, sums, [](int, T sum) FADE_LAMBDA { return convert<Out>(sum); });
}

using backend::add_products;

}  // namespace FADE_NAMESPACE::block

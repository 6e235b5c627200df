// gemm() as the demo calls it: compiled for the one layout that a call has.
#pragma once
#include <fade/gemm.hpp>

namespace demo {

struct sizes {
    fade::index m, n, k;
};

/// Every matrix of the demo has rows of whole 16-byte runs, so one kernel a layout is enough.
constexpr fade::gemm_kernels kernels_of(fade::gemm_layout layout) {
    return fade::only(fade::operand_access(int(layout)));
}

template <fade::gemm_layout Layout, class In, class Out, class Device, class Epilogue = fade::epilogue::none>
fade::report multiply(Device& device, const sizes& s, const In* a, const In* b, Out* d,
                      const Epilogue& end = {}) {
    return fade::gemm<In, Out, kernels_of(Layout)>(device, {.m = s.m, .n = s.n, .k = s.k, .layout = Layout},
                                                   {.a = a, .b = b, .d = d}, end);
}

}  // namespace demo

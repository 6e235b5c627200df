// Convolutions on tensors of another program, as a library: bench/conv_h200.py builds it and calls it.
#include "device_of_stream.hpp"
#include <fade/conv.hpp>

namespace {

/// Batch, channels, filters, groups, whether channels come first; then input, filter, stride, dilation and
/// pad, each d, h, w.
fade::conv_problem problem(const int* sizes) {
    const auto three = [&](int at) { return fade::spatial{sizes[at], sizes[at + 1], sizes[at + 2]}; };
    return {.batch = sizes[0],
            .channels = sizes[1],
            .filters = sizes[2],
            .input = three(5),
            .filter = three(8),
            .stride = three(11),
            .dilation = three(14),
            .pad = {sizes[17], sizes[18], sizes[19]},
            .groups = sizes[3],
            .layout = fade::conv_layout(sizes[4])};
}

/// 0, or -1 where the call was refused. `said` takes which kernel ran, and why.
template <class Call>
int called(char* said, Call call) {
    try {
        const fade::report r = call();
        std::snprintf(said, 400, "%s: %s", r.chosen.c_str(), r.why.c_str());
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return -1;
    }
}

}  // namespace

#if defined CONV_I8 || defined CONV_F8E4M3
#ifdef CONV_I8
using element = fade::i8;
#else
using element = fade::f8e4m3;
#endif
using result = fade::f16;
const auto stages = fade::scale(1.0f / 64);
#else
#ifdef CONV_BF16
using element = fade::bf16;
#else
using element = fade::f16;
#endif
using result = element;
const fade::epilogue::none stages{};
#endif

#if CONV_PART == 0
extern "C" int conv_forward(cudaStream_t stream, const int* sizes, char* said, const element* x,
                            const element* w, result* y) {
    return called(said, [&] {
        return fade::conv_forward<element, result>(device_of(stream), problem(sizes),
                                                   {.x = x, .w = w, .y = y}, stages);
    });
}
#elif CONV_PART == 1
extern "C" int conv_backward_data(cudaStream_t stream, const int* sizes, char* said, const element* dy,
                                  const element* w, element* dx) {
    return called(said, [&] {
        return fade::conv_backward_data<element>(device_of(stream), problem(sizes),
                                                 {.dy = dy, .w = w, .dx = dx});
    });
}
#else
extern "C" int conv_backward_weights(cudaStream_t stream, const int* sizes, char* said, const element* x,
                                     const element* dy, element* dw) {
    return called(said, [&] {
        return fade::conv_backward_weights<element>(device_of(stream), problem(sizes),
                                                    {.x = x, .dy = dy, .dw = dw});
    });
}
#endif

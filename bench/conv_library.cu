// Convolutions on tensors of another program, as a library: bench/conv_h200.py builds it and calls it.
#include "device_of_stream.hpp"
#include <fade/conv.hpp>

namespace {

/// Images and square filters with channels last: batch, channels, filters, h, w, filter, stride, pad.
fade::conv_problem problem(const int* sizes) {
    return {.batch = sizes[0],
            .channels = sizes[1],
            .filters = sizes[2],
            .input = {1, sizes[3], sizes[4]},
            .filter = {1, sizes[5], sizes[5]},
            .stride = {1, sizes[6], sizes[6]},
            .pad = {0, sizes[7], sizes[7]}};
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

#ifdef CONV_BF16
using element = fade::bf16;
#else
using element = fade::f16;
#endif

#if CONV_PART == 0
extern "C" int conv_forward(cudaStream_t stream, const int* sizes, char* said, const element* x,
                            const element* w, element* y) {
    return called(said, [&] {
        return fade::conv_forward<element>(device_of(stream), problem(sizes), {.x = x, .w = w, .y = y});
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

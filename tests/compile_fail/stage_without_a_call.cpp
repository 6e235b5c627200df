// expect: this stage of an epilogue cannot be called
#include <fade/gemm.hpp>

struct halves : fade::epilogue::stage {
    static constexpr const char* name = "halves";
};
void call(fade::host_device& device) { fade::gemm<float>(device, {}, {}, halves{}); }

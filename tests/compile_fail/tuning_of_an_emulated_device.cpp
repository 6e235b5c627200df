// expect: an emulated device has no speed
#include <fade/device/tune/compiling.hpp>
#include <fade/device/tune/gemm.hpp>

void call(fade::compiling<fade::emulated_device<fade::arch::gfx1100>>& device, fade::tuning_database& rows) {
    fade::tune_gemm<float>(device, {.m = 8, .n = 8, .k = 8}, {}, rows, std::chrono::seconds(1));
}

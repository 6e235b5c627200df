// Caches, 8-bit tensors, optimizers and the vendor's primitives on this GPU.
#include "common/append_suite.hpp"
#include "common/optimizer_trial.hpp"
#include "common/primitive_suite.hpp"

namespace fade::test {

using here = emulated_device<arch::FADE_TEST_GPU>;

TEST_CASE("append_kv") {
    here device;
    append_suite<float>(device, 60), append_suite<f16>(device, 60), append_suite<bf16>(device, 60);
    append_suite<bf16, bf16, bf16>(device, 60);
}
TEST_CASE("optimizers") {
    here device;
    optimizer_suite<f16, f16>(device, 60), optimizer_suite<f32, bf16>(device, 60);
}
TEST_CASE("primitives") {
    here device;
    primitives::check_sorts<float>(device), primitives::check_sorts<int>(device);
    primitives::check_reductions<bf16>(device), primitives::check_reductions<float>(device);
    primitives::check_top_k<float>(device);
}

}  // namespace fade::test

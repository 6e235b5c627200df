#include "common/optimizer_trial.hpp"

namespace fade::test {

TEST_CASE("steps of optimizers, host f32 and bf16") {
    host_device cpu;
    optimizer_suite<f32, f16>(cpu, 60);
    optimizer_suite<bf16, bf16>(cpu, 60);
}

}  // namespace fade::test

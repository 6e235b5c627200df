// Every rule, mask and place of sequences that attention has, in every run: one random case of each.
#include "common/attention_branches.hpp"
#include "common/some_kernels.hpp"

using namespace fade;

TEST_CASE("the host reaches each branch") {
    host_device host;
    test::branch_suite<float>(host, 100);
}

TEST_CASE("emulated MFMA reaches each branch, in f32") {
    test::some_kernels<arch::gfx942, {64, 64}> device;
    test::branch_suite<float>(device, 64);
}

TEST_CASE("emulated WMMA reaches each branch") {
    test::some_kernels<arch::gfx1100, {64, 64}> device;
    test::branch_suite<f16>(device, 64);
}

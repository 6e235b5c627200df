#include "common/weight_suite.hpp"

TEST_CASE("sm_90a") { fade::test::main_weight_suites<fade::arch::sm_90a>(20, 2); }

// Groups that a wave's part of a step does not end within, and two copies of words for each patch.
TEST_CASE("large groups of bytes in GPTQ's order") {
    using namespace fade;
    test::weight_suite<arch::sm_90a, weights::gptq(128, weight_element::unsigned8), f16>(20, 2);
}

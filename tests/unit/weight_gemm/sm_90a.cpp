#include "common/weight_suite.hpp"

TEST_CASE("sm_90a") { fade::test::main_weight_suites<fade::arch::sm_90a>(20, 2); }

#include "common/weight_suite.hpp"

TEST_CASE("sm_80") { fade::test::main_weight_suites<fade::arch::sm_80>(20, 4); }

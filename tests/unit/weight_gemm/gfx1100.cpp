#include "common/weight_suite.hpp"

TEST_CASE("gfx1100") { fade::test::main_weight_suites<fade::arch::gfx1100>(20, 4); }

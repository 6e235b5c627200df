#include "common/weight_suite.hpp"

TEST_CASE("gfx1100") { fade::test::weight_suites<fade::arch::gfx1100>(25, 4); }

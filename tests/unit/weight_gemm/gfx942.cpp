#include "common/weight_suite.hpp"

TEST_CASE("gfx942") { fade::test::weight_suites<fade::arch::gfx942>(25, 4); }

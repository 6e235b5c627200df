#include "common/weight_suite.hpp"

TEST_CASE("gfx1030") { fade::test::weight_suites<fade::arch::gfx1030>(25, 4); }

#include "common/weight_suite.hpp"

TEST_CASE("gfx1201") { fade::test::weight_suites<fade::arch::gfx1201>(25, 4); }

#include "common/weight_suite.hpp"

TEST_CASE("gfx1201") { fade::test::main_weight_suites<fade::arch::gfx1201>(20, 4); }

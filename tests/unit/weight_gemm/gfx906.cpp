#include "common/weight_suite.hpp"

TEST_CASE("gfx906") { fade::test::main_weight_suites<fade::arch::gfx906>(20, 4); }

#include "common/weight_suite.hpp"

TEST_CASE("host") { fade::test::weight_suites<fade::arch::host>(30, 2); }

// Products with weights of every format on this GPU, and their groups and gates.
#include "common/weight_suite.hpp"

namespace fade::test {

using here = arch::FADE_TEST_GPU;

TEST_CASE("weights") { weight_suites<here>(40, 2); }

}  // namespace fade::test

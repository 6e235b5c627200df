// Primitives on this CPU.
#include "common/primitive_suite.hpp"

TEST_CASE("primitives on the host") {
    fade::host_device host;
    primitives::check_all(host);
}

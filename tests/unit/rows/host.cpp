// Row operators on this CPU.
#include "common/row_suite.hpp"

TEST_CASE("row operators of every pair of types on the host") {
    fade::host_device host;
    rows::check_all<float, float>(host);
    rows::check_all<fade::bf16, fade::bf16>(host);
    rows::check_all<fade::f16, float>(host);
    rows::check_all<float, fade::f16>(host);
}

TEST_CASE("gradients, losses and places on the host") {
    fade::host_device host;
    rows::check_all_of<float>(host);
    rows::check_all_of<fade::bf16>(host);
}

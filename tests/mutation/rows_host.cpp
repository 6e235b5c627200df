// Fails when a row operator is wrong on this CPU: every operator on random rows.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "common/row_suite.hpp"

TEST_CASE("row operators on the host") {
    fade::host_device host;
    rows::check_all<fade::bf16, fade::bf16>(host);
    rows::check_all_of<float>(host);
}

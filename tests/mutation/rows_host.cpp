// Fails when a row operator is wrong on this CPU: every operator on random rows.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "common/row_suite.hpp"
#include "common/streamed_rows.hpp"

TEST_CASE("row operators on the host") {
    fade::host_device host;
    rows::check_all<fade::bf16, fade::bf16>(host);
    rows::check_all_of<float>(host);
}

TEST_CASE("rows that are streamed") {
    fade::host_device host;
    rows::check_streamed<float>(
        [&](const auto& size, const float* x, float* y) { fade::softmax<float>(host, size, x, y); });
}

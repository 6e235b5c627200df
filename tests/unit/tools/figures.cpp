// Figures as people read them.
#include "../../../tools/common/figures.hpp"
#include <doctest/doctest.h>

using namespace fade::tools;

TEST_CASE("three significant digits") {
    CHECK(figures(0) == "0.00");
    CHECK(figures(1) == "1.00");
    CHECK(figures(12.345) == "12.3");
    CHECK(figures(123.45) == "123");
    CHECK(figures(1234.5) == "1230");
    CHECK(figures(123456) == "123000");
    CHECK(figures(0.012345) == "0.0123");
    CHECK(figures(-2.5) == "-2.50");
    CHECK(figures(1.2345e-7) == "1.23e-07");
    CHECK(figures(9.876e12) == "9.88e+12");
}

TEST_CASE("what rounds up gets the digits of what it becomes") {
    CHECK(figures(9.996) == "10.0");
    CHECK(figures(99.96) == "100");
    CHECK(figures(0.9996) == "1.00");
    CHECK(in_time(0.9996) == "1.00 ms");
    CHECK(in_time(999.6) == "1.00 s");
    CHECK(in_rate(0.99951) == "1.00 TFLOP/s");
}

TEST_CASE("units that fit") {
    CHECK(in_time(5.4321) == "5.43 ms");
    CHECK(in_time(0.0921) == "92.1 us");
    CHECK(in_time(0.000921) == "921 ns");
    CHECK(in_time(12345) == "12.3 s");
    CHECK(in_time(1e-9) == "0.00100 ns");
    CHECK(in_rate(0.3641) == "364 GFLOP/s");
    CHECK(in_rate(1.2345) == "1.23 TFLOP/s");
    CHECK(in_rate(0.000012) == "12.0 MFLOP/s");
    CHECK(in_rate(0) == "0.00 kFLOP/s");
    CHECK(in_rate(1234) == "1.23 PFLOP/s");
}

TEST_CASE("columns") {
    CHECK(at_right("ab", 4) == "  ab");
    CHECK(at_left("ab", 4) == "ab  ");
    CHECK(at_right("abcde", 4) == "abcde");
}

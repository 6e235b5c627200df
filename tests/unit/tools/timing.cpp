// What samples say.
#include "../../../tools/bench/timing.cpp"
#include <doctest/doctest.h>

using namespace fade::bench;

TEST_CASE("median, ends and spread of samples") {
    const timed t = summary_of({0.005, 0.001, 0.004, 0.003, 0.002});
    CHECK(t.median == doctest::Approx(3));
    CHECK(t.min == doctest::Approx(1));
    CHECK(t.max == doctest::Approx(5));
    CHECK(t.samples == 5);
    CHECK(t.spread == doctest::Approx(2.0 / 3));
    CHECK(t.wide());
}

TEST_CASE("one late sample makes no wide spread, a tenth of the middle half does") {
    CHECK(!summary_of({1, 1.01, 1.02, 1.03, 9}).wide());
    CHECK(!summary_of({1, 1, 1.04, 1.09, 1.09}).wide());
    CHECK(summary_of({1, 1, 1.05, 1.12, 1.12}).wide());
    CHECK(!summary_of({7}).wide());
}

TEST_CASE("as many samples as are asked for, also in turns") {
    int one = 0, other = 0;
    double last = 0;
    const on_part part = [&](double now) {
        CHECK((now >= last && now <= 1));
        last = now;
    };
    const measured a{[&] { ++one; }, [] {}}, b{[&] { ++other; }, [] {}};
    for (int wanted : {1, 4, 5, 17}) {
        last = 0;
        CHECK(time_of(a, 0.1, wanted, part).samples == wanted);
        CHECK(last == doctest::Approx(1));
        last = 0;
        const two_timed both = interleaved(a, b, wanted, part);
        CHECK((both.one.samples == wanted && both.other.samples == wanted));
    }
    CHECK((one > 0 && other > 0));
    CHECK(time_of(a, 2.5, {}, part).samples == 1);
    CHECK(time_of(a, 2.5, {}, part).median == 2500);
    last = 0;
    CHECK(time_of(a, 2.5, 3, part).samples == 3);
}

// Products whose epilogue makes one column of D of two: with stages before and behind the gate, of batches,
// of shared k, of groups; and what they refuse.
#include "common/gated_trial.hpp"
#include "common/property.hpp"

namespace fade::test {

namespace {

/// Random products through gates between other stages.
template <class Arch, class In, class Out = In>
void check(const char* what, int times) {
    holds(what, times, [] {
        const gated_case c = random_gated_case();
        const auto tried = [&](const auto& gate) {
            must_be_right(c, gated_trial<In, Out>(c).template run<Arch>(gate));
        };
        if (c.kind == 0) tried(swiglu());
        if (c.kind == 1) tried(geglu());
        if (c.kind == 2) tried(geglu_tanh());
    });
}

}  // namespace

TEST_CASE("host") { check<arch::host, f16>("host f16", 60), check<arch::host, float>("host f32", 60); }
TEST_CASE("host, f64 and sums of whole numbers") {
    check<arch::host, double>("host f64", 20), check<arch::host, i8, float>("host i8", 20);
}
TEST_CASE("neighbours in two lanes") {
    check<arch::gfx942, f16>("gfx942", 20), check<arch::gfx1100, bf16>("gfx1100", 20);
    check<arch::gfx1201, f16, float>("gfx1201", 20), check<arch::gfx90a, double>("gfx90a f64", 20);
}
TEST_CASE("neighbours in two registers") {
    check<arch::gfx1030, f16>("gfx1030", 20), check<arch::gfx1100, i8, f16>("gfx1100 i8", 20);
    check<arch::sm_80, f16>("sm_80", 20), check<arch::sm_90a, bf16>("sm_90a", 20);
}

}  // namespace fade::test

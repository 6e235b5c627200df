// What workgroups that shared keys found, combined: many splits and few, any number of columns, against f64.
#include "common/combine_case.hpp"
#include "common/property.hpp"

using namespace fade;

namespace {

test::combine_case draw() {
    test::combine_case c;
    c.batch = *rc::gen::inRange(1, 4), c.tile_heads = *rc::gen::element(1, 1, 2, 8),
    c.heads = c.tile_heads * *rc::gen::inRange(1, 3), c.seq_q = *rc::gen::inRange(1, 4);
    c.columns = *rc::gen::oneOf(rc::gen::inRange(1, 140), rc::gen::element(64, 128, 192, 256, 301, 511, 512));
    c.splits = *rc::gen::oneOf(rc::gen::inRange(1, 40), rc::gen::inRange(40, 150));
    c.variable = *rc::gen::inRange(0, 3) == 0, c.seed = *rc::gen::arbitrary<std::uint64_t>();
    return c;
}

template <class Arch>
void combines(int times) {
    emulated_device<Arch> device({.threads = 1});
    test::holds(device.name() + " combines splits", times, [&] {
        const test::combine_case c = draw();
        test::must_be_right(c, test::wrong_combination(device, c));
    });
}

}  // namespace

TEST_CASE("splits are combined") {
    combines<arch::gfx942>(60), combines<arch::gfx906>(20);
    combines<arch::gfx1100>(40), combines<arch::gfx1030>(20), combines<arch::gfx1201>(20);
    combines<arch::sm_90a>(40), combines<arch::sm_80>(20);
}

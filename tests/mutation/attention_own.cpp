// Fails when a rule of one's own does not act, or is told something wrong. Exit 1 at the first that is.
#include "attention_rules.hpp"
#include "narrow_device.hpp"

using namespace fade;

int main() {
    test::narrow_device<arch::gfx942, {64, false}> whole;
    test::narrow_device<arch::gfx942, {64, true}> shared;
    auto paged = test::ruled_case(40);
    paged.problem.page_size = 16;
    return test::tried_rules<f16>(whole, test::ruled_case(40)) || test::tried_rules<f16>(shared, paged) ||
           test::tried_rules<f16>(shared, paged, 2);
}

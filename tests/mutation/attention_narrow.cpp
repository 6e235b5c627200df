// Fails when 8-bit inputs become other numbers on their way: in runs, in columns, one by one. Exit 1 at the
// first that does.
#include "narrow_device.hpp"

using namespace fade;

int main() {
    test::narrow_device<arch::gfx1201, {64, false}> device;
    test::case_list list{64};
    list.add([](auto&, auto&) {});
    list.add([](auto& c, auto&) { c.padding = 3; });
    list.add([](auto& c, auto& p) { p.head_dim -= 3, test::scale_each_head(c); });
    return test::tried<f8e4m3, f16>(device, list.all, 1);
}

// Fails when maxima that move late go wrong: many tiles, few keys that have all the weight. Exit 1 at the
// first that is.
#include "narrow_device.hpp"

using namespace fade;

int main() {
    test::narrow_device<arch::gfx1201, {64, false}> device;
    test::case_list list{40};
    for (const double scale : {0.0, 1.0, 4.0})
        list.add([&](auto& c, auto& p) {
            p.batch = 1, p.scale = scale, p.seq_q = 150, p.seq_k = 600, c.seed = 11;
        });
    return test::tried<f16>(device, list.all, 1);  // whole, else few workgroups would share the keys
}

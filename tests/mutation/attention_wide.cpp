// Fails when heads too wide for shared memory go wrong. Exit 1 at the first that does.
#include "narrow_device.hpp"

using namespace fade;

int main() {
    test::narrow_device<arch::gfx942, {512, true}> device;
    test::case_list list{264};
    const auto add = [&](auto change) { list.add(change); };
    add([](auto&, auto&) {});  // the last span is partial, and there are several tiles of keys
    add([](auto&, auto& p) {
        p.head_dim = 320, p.head_dim_v = 500, p.seq_q = 1, p.causal = causal_kind::bottom_right;
    });
    add([](auto& c, auto& p) {
        p.head_dim = 40, p.head_dim_v = 300, c.alibi = c.sink = true, p.page_size = 16;
    });
    return test::tried<f16>(device, list.all) || test::tried<f16>(device, list.all, 2);
}

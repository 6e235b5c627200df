// Row operators on an emulated sm_90a.
#include "common/row_suite.hpp"

TEST_CASE("row operators on sm_90a") {
    fade::emulated_device<fade::arch::sm_90a> device;
    rows::check_all<fade::bf16, fade::bf16>(device);
}

TEST_CASE("gradients, losses and places on sm_90a") {
    fade::emulated_device<fade::arch::sm_90a> device;
    rows::check_all_of<fade::f16>(device);
}

// Of whole runs that waves share: the next row comes to shared memory while one is computed.
TEST_CASE("losses of rows that are read ahead on sm_90a") {
    fade::emulated_device<fade::arch::sm_90a> device({.compute_units = 1});
    for (const fade::index runs : {rows::drawn(150, 250), rows::drawn(270, 500)})
        rows::check_cross_entropy<fade::f16>(device, {40, 8 * runs}, true);
}

// Rows that shared memory holds between passes, whole runs and not.
TEST_CASE("rows longer than registers hold on sm_90a") {
    fade::emulated_device<fade::arch::sm_90a> device;
    for (const rows::size& s :
         {rows::size{2, rows::drawn(32769, 57337)}, rows::size{2, 8 * rows::drawn(4097, 7168)}}) {
        rows::check_norms<fade::bf16, fade::bf16>(device, s);
        rows::check_softmax<fade::bf16, fade::bf16>(device, s, true);
        rows::check_reductions<fade::bf16, fade::bf16>(device, s, fade::along::rows);
        rows::check_cross_entropy<fade::f16>(device, s);
        rows::check_top_k<fade::f16>(device, s, fade::along::rows, 64);
    }
}

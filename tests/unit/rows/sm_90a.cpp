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

// Two workgroups split a row of more columns than one has registers for, with more rows than pairs of them.
TEST_CASE("gradients of norms of rows that workgroups split on sm_90a") {
    fade::emulated_device<fade::arch::sm_90a> device({.compute_units = 4});
    for (const bool layer : {false, true}) {
        rows::check_norm_gradients<fade::bf16>(device, {rows::drawn(3, 6), 8 * rows::drawn(2049, 4096)},
                                               layer, true);
        rows::check_norm_gradients<float>(device, {rows::drawn(1, 6), 4 * rows::drawn(2049, 4096)}, layer,
                                          true);
    }
}

// Rows that begin anywhere: a workgroup takes those that begin at the same byte of 16.
TEST_CASE("gradients of norms of many rows that begin anywhere on sm_90a") {
    fade::emulated_device<fade::arch::sm_90a> device({.compute_units = 1});
    for (const bool layer : {false, true})
        for (const rows::size& s : {rows::size{rows::drawn(20, 60), rows::drawn(1000, 4000)},
                                    rows::size{rows::drawn(9, 30), rows::drawn(8200, 10000)}}) {
            rows::check_norm_gradients<fade::bf16>(device, s, layer, false);
            rows::check_norm_gradients<float>(device, {s.rows, s.columns / 2}, layer, false);
        }
}

// Where not even two workgroups hold the sums of columns rows are read twice.
TEST_CASE("gradients of norms in parts of the columns on sm_90a") {
    fade::emulated_device<fade::arch::sm_90a> device({.compute_units = 6});
    for (const bool layer : {false, true}) {
        rows::check_norm_gradients<float>(device, {rows::drawn(3, 20), rows::drawn(8189, 20000)}, layer,
                                          false);
        rows::check_norm_gradients<fade::bf16>(device, {3, 8 * rows::drawn(4097, 6000)}, layer, true);
    }
}

// Where dx lies on dy a workgroup would write what its neighbour has yet to read.
TEST_CASE("gradients of norms of long rows in place on sm_90a") {
    fade::emulated_device<fade::arch::sm_90a> device({.compute_units = 4});
    const rows::size s{5, 8 * rows::drawn(2049, 2300)};
    rows::matrix<fade::bf16> h(s.rows, s.columns, true), dy(s.rows, s.columns, true),
        dx(s.rows, s.columns, true), dweight(1, s.columns, true);
    h.fill(), dy.fill();
    const std::vector<float> root(std::size_t(s.rows), 0.75f);
    const auto run = [&](fade::bf16* to) {
        return fade::rms_norm_gradient<fade::bf16>(device, {.rows = s.rows, .columns = s.columns},
                                                   {.h = h.data(),
                                                    .dy = dy.data(),
                                                    .inverse_root = root.data(),
                                                    .dx = to,
                                                    .dweight = dweight.data()});
    };
    CHECK(run(dx.data()).chosen.find("two workgroups") != std::string::npos);
    CHECK(run(dy.data()).chosen.find("two workgroups") == std::string::npos);
    rows::distance off;
    for (fade::index r = 0; r < s.rows; ++r)
        for (fade::index c = 0; c < s.columns; ++c) off.add(dy.at(r, c), dx.at(r, c));
    CHECK(off.relative() < rows::bound<fade::bf16>());
}

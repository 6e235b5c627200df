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

namespace {
bool chosen_says(const fade::report& said, const char* words) {
    return said.chosen.find(words) != std::string::npos;
}
}  // namespace

// Two workgroups split a row of more columns than one has registers for, with more rows than pairs of them.
TEST_CASE("gradients of norms of rows that workgroups split on sm_90a") {
    fade::emulated_device<fade::arch::sm_90a> device({.compute_units = 4});
    const auto check = [&]<class T>(T, const rows::size& s, bool layer) {
        CHECK(chosen_says(rows::check_norm_gradients<T>(device, s, layer, true), "two workgroups"));
    };
    for (const bool layer : {false, true}) {
        check(fade::bf16{}, {rows::drawn(3, 6), 8 * rows::drawn(2049, 4096)}, layer);
        check(0.0f, {rows::drawn(1, 6), 4 * rows::drawn(2049, 4096)}, layer);
    }
}

// Rows that begin anywhere: a workgroup takes those that begin at the same byte of 16.
TEST_CASE("gradients of norms of many rows that begin anywhere on sm_90a") {
    fade::emulated_device<fade::arch::sm_90a> device({.compute_units = 1});
    const auto check = [&]<class T>(T, const rows::size& s, bool layer) {
        const fade::report said = rows::check_norm_gradients<T>(device, s, layer, false, true);
        CHECK((chosen_says(said, "with sums of columns") && !chosen_says(said, "parts")));
    };
    for (const bool layer : {false, true})
        for (const rows::size& s : {rows::size{rows::drawn(20, 60), rows::drawn(1000, 4000)},
                                    rows::size{rows::drawn(9, 30), rows::drawn(8200, 10000)}}) {
            check(fade::bf16{}, s, layer);
            check(0.0f, {s.rows, s.columns / 2}, layer);
        }
}

// Where not even two workgroups hold the sums of columns rows are read twice.
TEST_CASE("gradients of norms in parts of the columns on sm_90a") {
    fade::emulated_device<fade::arch::sm_90a> device({.compute_units = 6});
    const auto check = [&](const fade::report& said) {
        CHECK((chosen_says(said, " parts") && chosen_says(said, "with sums of columns")));
    };
    for (const bool layer : {false, true}) {
        check(rows::check_norm_gradients<float>(device, {rows::drawn(3, 20), 4 * rows::drawn(2048, 5000) + 1},
                                                layer, false, true));
        check(rows::check_norm_gradients<fade::bf16>(device, {3, 8 * rows::drawn(4097, 6000)}, layer, true));
    }
}

// Rows of dy or dx that begin elsewhere than those of h would move element by element.
TEST_CASE("where norms' gradients of rows begin decides whether one reading serves on sm_90a") {
    fade::emulated_device<fade::arch::sm_90a> device;
    constexpr fade::index columns = 1001, wide = 1003;
    std::vector<fade::bf16> h(3 * wide), dy(3 * wide), dx(3 * wide), weights(columns);
    const std::vector<float> root(2, 1.0f);
    const auto chosen = [&](int dy_at, int dx_at, fade::index dy_stride, fade::index dx_stride) {
        fade::operation_plan plan;
        const fade::norm_gradient_problem p{
            .rows = 2, .columns = columns, .dy_stride = dy_stride, .dx_stride = dx_stride};
        return fade::rms_norm_gradient<fade::bf16>(device, p,
                                                   {.h = h.data() + 1,
                                                    .dy = dy.data() + dy_at,
                                                    .inverse_root = root.data(),
                                                    .dx = dx.data() + dx_at,
                                                    .dweight = weights.data()},
                                                   {.plan = &plan});
    };
    CHECK(chosen_says(chosen(1, 1, -1, columns), "with sums of columns"));
    CHECK(chosen_says(chosen(9, 17, columns, -1), "with sums of columns"));
    CHECK_FALSE(chosen_says(chosen(2, 1, -1, -1), "with sums of columns"));
    CHECK_FALSE(chosen_says(chosen(1, 4, -1, -1), "with sums of columns"));
    CHECK_FALSE(chosen_says(chosen(1, 1, wide, -1), "with sums of columns"));
    CHECK_FALSE(chosen_says(chosen(1, 1, -1, wide), "with sums of columns"));
}

// Where dx lies on dy or h a workgroup would write what its neighbour has yet to read.
TEST_CASE("gradients of norms of long rows in place on sm_90a") {
    fade::emulated_device<fade::arch::sm_90a> device({.compute_units = 4});
    const rows::size s{5, 8 * rows::drawn(2049, 2300)};
    rows::matrix<fade::bf16> h(s.rows, s.columns, true), dy(s.rows, s.columns, true),
        dx(s.rows, s.columns, true), dweight(1, s.columns, true);
    h.fill(), dy.fill();
    const std::vector<float> root(std::size_t(s.rows), 0.75f);
    const auto run = [&](fade::bf16* to, const fade::operation_options& options = {}) {
        return fade::rms_norm_gradient<fade::bf16>(device, {.rows = s.rows, .columns = s.columns},
                                                   {.h = h.data(),
                                                    .dy = dy.data(),
                                                    .inverse_root = root.data(),
                                                    .dx = to,
                                                    .dweight = dweight.data()},
                                                   options);
    };
    CHECK(chosen_says(run(dx.data()), "two workgroups"));
    CHECK_FALSE(chosen_says(run(dy.data()), "two workgroups"));
    fade::operation_plan plan;
    CHECK_FALSE(chosen_says(run(h.data(), {.plan = &plan}), "two workgroups"));
    rows::distance off;
    for (fade::index r = 0; r < s.rows; ++r)
        for (fade::index c = 0; c < s.columns; ++c) off.add(dy.at(r, c), dx.at(r, c));
    CHECK(off.relative() < rows::bound<fade::bf16>());
}

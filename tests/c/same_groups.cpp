// Products of groups of rows and the steps of a mixture of experts through fade.h are the C++ calls, bit for
// bit, and what fade.h alone refuses of them.
#include "beside.hpp"
#include <fade/grouped_gemm.hpp>
#include <fade/moe.hpp>
#include <string>

using namespace fade::test;

namespace {

using fade::f16;
using fade::index;

/// A problem said to both interfaces: groups of any size, rows of A by a list or not, and spare rows of D.
template <class In, class Out>
struct groups {
    fade::grouped_gemm_problem cpp{.n = drawn(1, 40),
                                   .k = drawn(1, 40),
                                   .groups = int(drawn(1, 6)),
                                   .layout = drawn(0, 1) ? fade::gemm_layout::nt : fade::gemm_layout::nn,
                                   .alpha = 2,
                                   .beta = 3};
    fade_grouped_gemm_args c = made(fade_grouped_gemm_init);
    std::vector<int> ends, list;
    std::vector<In> a, b;
    std::vector<Out> old, bias;

    groups(fade_dtype in, fade_dtype out, bool listed) {
        for (int g = 0; g < cpp.groups; ++g)
            ends.push_back(int((ends.empty() ? 0 : ends.back()) + drawn(0, 1) * drawn(1, 40)));
        cpp.rows = ends.back() + drawn(1, 9), cpp.rows_of_a = listed ? drawn(1, 30) : 0;
        for (index r = 0; listed && r < cpp.rows; ++r) list.push_back(int(drawn(0, cpp.rows_of_a - 1)));
        cpp.lda = cpp.k + drawn(0, 3), cpp.ldd = cpp.n + drawn(0, 3), cpp.ldc = cpp.n + drawn(0, 3);
        const bool t = cpp.layout == fade::gemm_layout::nt;
        cpp.ldb = (t ? cpp.k : cpp.n) + drawn(0, 3),
        cpp.stride_b = (t ? cpp.n : cpp.k) * cpp.ldb + drawn(0, 3);
        a = some<In>((listed ? cpp.rows_of_a : cpp.rows) * cpp.lda), b = some<In>(cpp.groups * cpp.stride_b);
        old = some<Out>(cpp.rows * cpp.ldc), bias = some<Out>(cpp.groups * cpp.n);
        c.in = in, c.out = out, c.layout = int(cpp.layout), c.groups = cpp.groups, c.rows = cpp.rows;
        c.n = cpp.n, c.k = cpp.k, c.rows_of_a = cpp.rows_of_a, c.alpha = cpp.alpha, c.beta = cpp.beta;
        c.lda = cpp.lda, c.ldb = cpp.ldb, c.ldc = cpp.ldc, c.ldd = cpp.ldd, c.stride_b = cpp.stride_b;
        c.a = a.data(), c.b = b.data(), c.c = old.data(), c.ends = ends.data();
        c.row_list = listed ? list.data() : nullptr;
    }
    index values() const { return cpp.rows * cpp.ldd; }
    fade::grouped_gemm_operands<In, Out> operands(Out* d) const {
        return {.a = a.data(),
                .b = b.data(),
                .c = old.data(),
                .d = d,
                .ends = ends.data(),
                .row_list = list.empty() ? nullptr : list.data()};
    }
};

/// The stages of all products here: a bias of each group, what a clamp sees, and the clamp.
struct stages_of_c {
    fade_stage all[3] = {made(fade_stage_init), made(fade_stage_init), made(fade_stage_init)};
    template <class In, class Out>
    stages_of_c(groups<In, Out>& p, std::vector<Out>& kept) {
        all[0].kind = FADE_BATCH_BIAS, all[0].values = p.bias.data();
        all[1].kind = FADE_AUX, all[1].values = kept.data();
        all[2].kind = FADE_CLAMP, all[2].low = -9, all[2].high = 8;
        p.c.stages = all, p.c.stage_count = 3;
    }
};

/// One product by both; nothing is written where it is planned.
template <class In, class Out>
void check_product(groups<In, Out>& p, const fade::grouped_gemm_options& options) {
    opened on;
    auto out = poison<Out>(p.values()), expected = out;
    auto kept = poison<Out>(p.cpp.rows * p.cpp.n), expected_kept = kept;
    const stages_of_c stages(p, kept);
    p.c.d = out.data();
    fade_options how = made(fade_options_init);
    fade_plan* plan = nullptr;
    how.plan = &plan;
    is_done(fade_grouped_gemm(on.c, &p.c, &how));
    CHECK(fade_plan_launch_count(plan) == 1);
    CHECK(fade_plan_workspace_bytes(plan) == 0);
    CHECK(same(out, poison<Out>(p.values())));
    fade_plan_close(plan);
    is_done(fade_grouped_gemm(on.c, &p.c, nullptr));
    fade::grouped_gemm<In, Out>(on.cpp, p.cpp, p.operands(expected.data()),
                                fade::batch_bias(p.bias) | fade::aux(expected_kept) | fade::clamp(-9, 8),
                                options);
    CHECK(same(out, expected));
    CHECK(same(kept, expected_kept));
}

TEST_CASE("grouped_gemm") {
    for (int i = 0; i < 8; ++i) {
        CAPTURE(i);
        groups<float, float> p(FADE_F32, FADE_F32, i % 2);
        check_product(p, {});
        groups<f16, float> q(FADE_F16, FADE_F32, i % 2);
        check_product(q, {});
    }
}

TEST_CASE("gates, and the largest magnitude") {
    for (const int kind : {FADE_SWIGLU, FADE_GEGLU, FADE_GEGLU_TANH}) {
        opened on;
        groups<float, float> p(FADE_F32, FADE_F32, false);
        p.cpp.n = p.c.n = 2 * drawn(1, 30), p.cpp.beta = p.c.beta = 0, p.cpp.ldd = p.c.ldd = p.cpp.n / 2 + 3;
        p.cpp.ldc = p.c.ldc = 0, p.cpp.layout = fade::gemm_layout::nt, p.c.layout = FADE_NT;
        p.cpp.ldb = p.c.ldb = p.cpp.k, p.cpp.stride_b = p.c.stride_b = p.cpp.n * p.cpp.k;
        p.b = some<float>(p.cpp.groups * p.cpp.stride_b), p.c.b = p.b.data();
        const auto bias = some<float>(p.cpp.n), added = some<float>(p.cpp.n / 2);
        auto out = poison<float>(p.values()), expected = out;
        float largest = 0, expected_largest = 0;
        fade_stage stages[4] = {made(fade_stage_init), made(fade_stage_init), made(fade_stage_init),
                                made(fade_stage_init)};
        stages[0].kind = FADE_BIAS, stages[0].values = bias.data(), stages[1].kind = kind;
        stages[2].kind = FADE_BIAS, stages[2].values = added.data();
        stages[3].kind = FADE_AMAX, stages[3].values = &largest;
        p.c.stages = stages, p.c.stage_count = 4, p.c.d = out.data();
        is_done(fade_grouped_gemm(on.c, &p.c, nullptr));
        const auto run = [&](const auto& gate) {
            fade::grouped_gemm<float, float>(on.cpp, p.cpp, p.operands(expected.data()),
                                             fade::bias(bias) | gate | fade::bias(added) |
                                                 fade::amax(&expected_largest));
        };
        if (kind == FADE_SWIGLU) run(fade::swiglu());
        if (kind == FADE_GEGLU) run(fade::geglu());
        if (kind == FADE_GEGLU_TANH) run(fade::geglu_tanh());
        CHECK(same(out, expected));
        CHECK(largest == expected_largest);
        stages[3].kind = FADE_SWIGLU;
        CHECK(fade_grouped_gemm(on.c, &p.c, nullptr) == FADE_INVALID);  // two gates
        CHECK(same(out, expected));
    }
}

TEST_CASE("without check_indices wrong tables are cut off") {
    groups<float, float> p(FADE_F32, FADE_F32, true);
    p.ends.back() = int(p.cpp.rows) + 7, p.list[0] = -3, p.c.check_indices = 0;
    check_product(p, {.check_indices = false});
}

template <class In>
void check_route(fade_dtype in, int way) {
    opened on;
    const index tokens = drawn(1, 30), experts = drawn(1, 40), stride = experts + drawn(0, 3);
    const int top_k = int(drawn(1, experts < 8 ? experts : 8));
    const auto logits = some<In>(tokens * stride);
    auto choices = poison<int>(tokens * top_k), expected_choices = choices;
    auto weights = poison<float>(tokens * top_k), expected_weights = weights;
    auto a = made(fade_moe_route_init);
    a.in = in, a.top_k = top_k, a.scoring = way % 2, a.renormalize = way / 2, a.tokens = tokens;
    a.experts = experts, a.weight_scale = 1.5, a.logits_stride = stride, a.logits = logits.data();
    a.choices = choices.data(), a.weights = weights.data();
    is_done(fade_moe_route(on.c, &a, nullptr));
    fade::moe_route(on.cpp,
                    {.tokens = tokens,
                     .experts = experts,
                     .top_k = top_k,
                     .scoring = fade::moe_scoring(way % 2),
                     .renormalize = way / 2 == 1,
                     .weight_scale = 1.5,
                     .logits_stride = stride},
                    logits.data(), expected_choices.data(), expected_weights.data());
    CHECK(same(choices, expected_choices));
    CHECK(same(weights, expected_weights));
}

TEST_CASE("moe_route") {
    for (int way = 0; way < 4; ++way) check_route<float>(FADE_F32, way), check_route<f16>(FADE_F16, way);
}

/// Choices of which some are outside the experts.
struct routed {
    index tokens = drawn(1, 50);
    int top_k = int(drawn(1, 6)), experts = int(drawn(1, 9));
    std::vector<int> choices;
    routed() {
        for (index i = 0; i < tokens * top_k; ++i) choices.push_back(int(drawn(-1, experts)));
    }
};

TEST_CASE("moe_dispatch") {
    opened on;
    for (int i = 0; i < 10; ++i) {
        const routed r;
        auto ends = poison<int>(r.experts), expected_ends = ends;
        auto list = poison<int>(r.tokens * r.top_k), expected_list = list, slots = list,
             expected_slots = list;
        auto a = made(fade_moe_dispatch_init);
        a.tokens = r.tokens, a.top_k = r.top_k, a.experts = r.experts, a.choices = r.choices.data();
        a.ends = ends.data(), a.row_list = list.data(), a.slots = slots.data();
        is_done(fade_moe_dispatch(on.c, &a, nullptr));
        fade::moe_dispatch(
            on.cpp, {r.tokens, r.top_k, r.experts},
            {r.choices.data(), expected_ends.data(), expected_list.data(), expected_slots.data()});
        CHECK(same(ends, expected_ends));
        CHECK(same(list, expected_list));
        CHECK(same(slots, expected_slots));
    }
}

template <class In, class Out>
void check_combine(fade_dtype in, fade_dtype out_type, bool weighted) {
    opened on;
    const routed r;
    const index columns = drawn(1, 40), rows = drawn(1, 60);
    const index x_stride = columns + drawn(0, 3), y_stride = columns + drawn(0, 3);
    const auto x = some<In>(rows * x_stride);
    const auto weights = some<float>(r.tokens * r.top_k);
    std::vector<int> slots;
    for (index i = 0; i < r.tokens * r.top_k; ++i) slots.push_back(int(drawn(-1, rows)));
    auto y = poison<Out>(r.tokens * y_stride), expected = y;
    auto a = made(fade_moe_combine_init);
    a.in = in, a.out = out_type, a.top_k = r.top_k, a.tokens = r.tokens, a.columns = columns, a.rows = rows;
    a.x_stride = x_stride, a.y_stride = y_stride, a.x = x.data(), a.slots = slots.data(), a.y = y.data();
    a.weights = weighted ? weights.data() : nullptr;
    is_done(fade_moe_combine(on.c, &a, nullptr));
    fade::moe_combine<In, Out>(on.cpp,
                               {.tokens = r.tokens,
                                .top_k = r.top_k,
                                .columns = columns,
                                .rows = rows,
                                .x_stride = x_stride,
                                .y_stride = y_stride},
                               {x.data(), slots.data(), a.weights, expected.data()});
    CHECK(same(y, expected));
}

TEST_CASE("moe_combine") {
    for (const bool weighted : {false, true}) {
        check_combine<float, float>(FADE_F32, FADE_F32, weighted);
        check_combine<f16, float>(FADE_F16, FADE_F32, weighted);
    }
}

TEST_CASE("what is not set is what C++ has unset") {
    const fade::grouped_gemm_problem product;
    const auto g = made(fade_grouped_gemm_init);
    CHECK(g.layout == int(product.layout));
    CHECK((g.alpha == product.alpha && g.beta == product.beta && g.stride_b == product.stride_b));
    CHECK((g.check_indices == -1 && g.in == FADE_F32 && g.out == FADE_F32));
    const fade::moe_route_problem routes;
    const auto r = made(fade_moe_route_init);
    CHECK((r.top_k == routes.top_k && r.scoring == int(routes.scoring) && r.in == FADE_F32));
    CHECK((r.renormalize == int(routes.renormalize) && r.weight_scale == routes.weight_scale));
    CHECK(r.logits_stride == routes.logits_stride);
    CHECK(made(fade_moe_dispatch_init).top_k == fade::moe_dispatch_problem{}.top_k);
    const fade::moe_combine_problem sums;
    const auto c = made(fade_moe_combine_init);
    CHECK((c.top_k == sums.top_k && c.x_stride == sums.x_stride && c.y_stride == sums.y_stride));
    CHECK((c.in == FADE_F32 && c.out == FADE_F32));
}

TEST_CASE("what a grouped product refuses names its field, and nothing is written") {
    opened on;
    groups<float, float> p(FADE_F32, FADE_F32, true);
    auto out = poison<float>(p.values());
    p.c.d = out.data();
    const auto refused = [&](auto change, fade_status as, const char* argument) {
        auto broken = p.c;
        change(broken);
        CHECK(fade_grouped_gemm(on.c, &broken, nullptr) == as);
        CHECK(std::string(fade_last_error()->argument) == argument);
        CHECK(same(out, poison<float>(p.values())));
    };
    refused([](auto& a) { a.layout = FADE_TN; }, FADE_INVALID, "layout");
    refused([](auto& a) { a.check_indices = 2; }, FADE_INVALID, "check_indices");
    refused([](auto& a) { a.check_indices = -2; }, FADE_INVALID, "check_indices");
    refused([](auto& a) { a.groups = 65536; }, FADE_INVALID, "groups");
    refused([](auto& a) { a.k = a.lda + 1; }, FADE_INVALID, "lda");
    refused([](auto& a) { a.ends = nullptr; }, FADE_INVALID, "ends");
    refused([](auto& a) { a.rows_of_a = 0; }, FADE_INVALID, "rows_of_a");
    refused([](auto& a) { a.stage_count = 9; }, FADE_INVALID, "stage_count");
    refused([](auto& a) { a.in = a.out = FADE_I8; }, FADE_UNSUPPORTED, "types");
    p.ends[0] = -1;
    refused([](auto&) {}, FADE_INVALID, "ends[0]");
    refused([](auto& a) { a.check_indices = 1; }, FADE_INVALID, "ends[0]");
    p.ends.assign(p.ends.size(), int(p.cpp.rows)), p.list[0] = int(p.cpp.rows_of_a);
    refused([](auto&) {}, FADE_INVALID, "row_list[0]");
}

TEST_CASE("what the steps of a mixture of experts refuse names its field") {
    opened on;
    const auto refused = [&](fade_status got, fade_status as, const char* argument) {
        CHECK(got == as);
        CHECK(std::string(fade_last_error()->argument) == argument);
    };
    float numbers[8];
    int table[8], ends[8] = {7, 7}, list[8], slots[8];
    auto route = made(fade_moe_route_init);
    route.tokens = 2, route.experts = 4, route.logits = numbers, route.choices = table,
    route.weights = numbers;
    route.scoring = 2;
    refused(fade_moe_route(on.c, &route, nullptr), FADE_INVALID, "scoring");
    route.scoring = FADE_MOE_SIGMOID, route.top_k = 5;
    refused(fade_moe_route(on.c, &route, nullptr), FADE_INVALID, "top_k");
    route.top_k = 1, route.in = FADE_F64;
    refused(fade_moe_route(on.c, &route, nullptr), FADE_UNSUPPORTED, "types");
    auto dispatch = made(fade_moe_dispatch_init);
    dispatch.tokens = 2, dispatch.experts = 2, dispatch.ends = ends, dispatch.row_list = list;
    dispatch.slots = slots;
    refused(fade_moe_dispatch(on.c, &dispatch, nullptr), FADE_INVALID, "choices");
    dispatch.choices = slots;
    refused(fade_moe_dispatch(on.c, &dispatch, nullptr), FADE_INVALID, "slots");
    CHECK(ends[0] == 7);
    auto combine = made(fade_moe_combine_init);
    combine.tokens = 2, combine.columns = 2, combine.rows = 2, combine.slots = table, combine.y = numbers;
    refused(fade_moe_combine(on.c, &combine, nullptr), FADE_INVALID, "x");
    combine.x = numbers;
    refused(fade_moe_combine(on.c, &combine, nullptr), FADE_INVALID, "y");
    combine.out = FADE_F16;
    refused(fade_moe_combine(on.c, &combine, nullptr), FADE_UNSUPPORTED, "types");
}

}  // namespace

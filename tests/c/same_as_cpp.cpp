// What comes through fade.h is what the C++ call makes, bit for bit: every field reaches its place. That the
// C++ calls are right is tested against references elsewhere.
#include "beside.hpp"
#include <fade/attention.hpp>
#include <fade/gemm.hpp>
#include <fade/kv_cache.hpp>
#include <fade/norm.hpp>
#include <fade/quantize.hpp>
#include <fade/reduce.hpp>
#include <fade/softmax.hpp>

using namespace fade::test;

namespace {

using fade::f16;
using fade::index;

template <class In, class Out>
void check_gemm(fade_dtype in, fade_dtype out) {
    opened on;
    for (int layout = 0; layout < 4; ++layout) {
        const index m = drawn(1, 40), n = drawn(1, 40), k = drawn(1, 60), batch = drawn(1, 3),
                    pad = drawn(0, 3);
        const index lda = (layout < 2 ? k : m) + pad, ldb = (layout % 2 ? k : n) + pad;
        const auto a = some<In>(batch * lda * std::max(m, k)), b = some<In>(ldb * std::max(n, k));
        const auto c = some<Out>(m * n * batch), residual = some<Out>(m * n), bias = some<Out>(n);
        auto d = poison<Out>(batch * m * (n + pad)), expected = d;
        auto g = made(fade_gemm_init);
        fade_stage stages[3] = {made(fade_stage_init), made(fade_stage_init), made(fade_stage_init)};
        stages[0].kind = FADE_BIAS, stages[0].values = bias.data();
        stages[1].kind = FADE_CLAMP, stages[1].low = -3.1, stages[1].high = 2.3;  // no numbers of f32
        stages[2].kind = FADE_RESIDUAL, stages[2].values = residual.data(), stages[2].batch_stride = 0;
        g.in = in, g.out = out, g.layout = layout, g.m = m, g.n = n, g.k = k, g.batch = batch;
        g.lda = lda, g.ldb = ldb, g.ldd = n + pad, g.stride_a = lda * std::max(m, k), g.stride_b = 0;
        g.alpha = 2, g.beta = 3, g.a = a.data(), g.b = b.data(), g.c = c.data(), g.d = d.data();
        g.stages = stages, g.stage_count = 3;
        is_done(fade_gemm(on.c, &g, nullptr));
        fade::any_chain<Out> chain;
        chain.push(fade::stage_kind::bias, bias.data());
        chain.push(fade::stage_kind::clamp, static_cast<const Out*>(nullptr), 0, -1, -3.1, 2.3);
        chain.push(fade::stage_kind::residual, residual.data(), 0, 0);
        fade::gemm<In, Out>(on.cpp,
                            {.m = m,
                             .n = n,
                             .k = k,
                             .layout = fade::gemm_layout(layout),
                             .batch = batch,
                             .alpha = 2,
                             .beta = 3,
                             .lda = lda,
                             .ldb = ldb,
                             .ldd = n + pad,
                             .stride_a = lda * std::max(m, k),
                             .stride_b = 0},
                            {a.data(), b.data(), c.data(), expected.data()}, chain);
        CAPTURE(layout);
        CHECK(same(d, expected));
    }
}

TEST_CASE("gemm") {
    check_gemm<float, float>(FADE_F32, FADE_F32);
    check_gemm<f16, float>(FADE_F16, FADE_F32);
    check_gemm<fade::i8, fade::i32>(FADE_I8, FADE_I32);
}

/// Attention with every option of one kind; what the C++ struct is told stands beside.
void check_attention(int kind) {
    opened on;
    const index batch = 2, heads = 4, kv_heads = 2, seq_q = drawn(3, 20), seq_k = drawn(20, 70), dim = 24,
                dim_v = 16;
    const index page = 8, width = (seq_k + page - 1) / page, pages = batch * width;
    const bool paged = kind == 1, packed = kind == 2, counted = kind == 3;
    const auto q = some<float>(batch * seq_q * heads * dim), k = some<float>(pages * page * kv_heads * dim),
               v = some<float>(pages * page * kv_heads * dim_v), bias = some<float>(batch * seq_q * seq_k);
    const auto sink = some<float>(heads);
    const std::vector<float> slopes{0.5f, 0.25f, 0.125f, 0.0625f, 0.75f}, scales{1.5f, 0.5f};
    const std::vector<int> lengths_q{0, 2, int(2 + seq_q)}, lengths_k{0, int(seq_k - 3), int(2 * seq_k - 5)};
    const std::vector<int> counts{int(seq_k) - 2, int(seq_k)}, starts{5, 0};
    std::vector<int> table(static_cast<std::size_t>(pages));
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = int(table.size() - 1 - i);
    auto o = poison<float>(batch * seq_q * heads * dim_v), expected = o;
    auto lse = poison<float>(batch * heads * seq_q), expected_lse = lse;

    auto a = made(fade_attention_init);
    a.batch = batch, a.heads = heads, a.kv_heads = kv_heads, a.seq_q = seq_q, a.seq_k = seq_k,
    a.head_dim = dim;
    a.head_dim_v = dim_v, a.causal = FADE_CAUSAL_TOP_LEFT + (kind == 0 ? 0 : -1), a.window_left = 40;
    a.window_right = 30, a.scale = 0.3, a.q = q.data(), a.k = k.data(), a.v = v.data(), a.o = o.data();
    a.lse = lse.data();
    fade::attention_problem p{.batch = batch,
                              .heads = heads,
                              .kv_heads = kv_heads,
                              .seq_q = seq_q,
                              .seq_k = seq_k,
                              .head_dim = dim,
                              .head_dim_v = dim_v,
                              .causal = fade::causal_kind(a.causal),
                              .window_left = 40,
                              .window_right = 30,
                              .scale = 0.3};
    fade::attention_operands<float> x{
        .q = q.data(), .k = k.data(), .v = v.data(), .o = expected.data(), .lse = expected_lse.data()};
    if (kind == 0) {
        a.softcap = p.softcap = 5, a.dropout = p.dropout = 0.25, a.seed = p.seed = 11,
        a.offset = p.offset = 3;
        a.alibi = slopes.data(), x.alibi = slopes.data();
        a.alibi_stride = p.alibi_stride = 1;
        a.bias = bias.data(), x.bias = bias.data();
        a.bias_head = 0, p.bias_strides.head = 0, a.bias_query = seq_k, p.bias_strides.query = seq_k;
        a.bias_batch = seq_q * seq_k, p.bias_strides.batch = seq_q * seq_k;
        a.sink = sink.data(), x.sink = sink.data();
        a.scale_k = scales.data(), a.scale_v = scales.data(), a.scales_per_head = 1;
        x.scales.k = scales.data(), x.scales.v = scales.data(), x.scales.per_head = true;
    }
    if (paged) {
        a.page_size = p.page_size = page, a.table_width = p.table_width = width;
        a.page_count = p.page_count = pages, a.block_table = table.data(), x.block_table = table.data();
        a.counts_k = counts.data(), x.counts_k = counts.data();
    }
    if (packed) {
        a.lengths_q = lengths_q.data(), x.lengths_q = lengths_q.data();
        a.lengths_k = lengths_k.data(), x.lengths_k = lengths_k.data();
    }
    if (counted) {
        a.counts_k = counts.data(), x.counts_k = counts.data();
        a.starts_k = starts.data(), x.starts_k = starts.data();
        a.q_strides = {heads * dim, batch * heads * dim, dim};
        p.q_strides = {heads * dim, batch * heads * dim, dim};
    }
    is_done(fade_attention(on.c, &a, nullptr));
    fade::attention<float>(on.cpp, p, x);
    CAPTURE(kind);
    CHECK(same(o, expected));
    CHECK(same(lse, expected_lse));
}

TEST_CASE("attention") {
    for (int kind = 0; kind < 4; ++kind) check_attention(kind);
}

TEST_CASE("append_kv") {
    opened on;
    const index batch = 2, heads = 4, kv_heads = 2, tokens = 3, capacity = 32, dim = 16, rotary = 8;
    const auto new_k = some<float>(batch * tokens * kv_heads * dim),
               new_v = some<float>(batch * tokens * kv_heads * dim);
    const auto q = some<float>(batch * tokens * heads * dim), cos = some<float>(capacity * rotary / 2),
               sin = cos;
    const std::vector<int> held{5, 11}, table{3, 1, 0, 2, 7, 6, 5, 4};
    auto k = poison<float>(batch * capacity * kv_heads * dim), v = k,
         q_out = poison<float>(batch * tokens * heads * dim);
    auto expected_k = k, expected_v = v, expected_q = q_out;
    auto a = made(fade_append_init);
    a.batch = batch, a.heads = heads, a.kv_heads = kv_heads, a.new_positions = tokens, a.capacity = capacity;
    a.head_dim = dim, a.rotary_dim = rotary, a.interleaved = 1, a.page_size = 8, a.table_width = 4,
    a.page_count = 8;
    a.new_k = new_k.data(), a.new_v = new_v.data(), a.k = k.data(), a.v = v.data(), a.q = q.data();
    a.q_out = q_out.data(), a.cos = cos.data(), a.sin = sin.data(), a.cache_lengths = held.data();
    a.block_table = table.data();
    is_done(fade_append_kv(on.c, &a, nullptr));
    fade::append_kv<float>(on.cpp,
                           {.batch = batch,
                            .heads = heads,
                            .kv_heads = kv_heads,
                            .new_positions = tokens,
                            .capacity = capacity,
                            .head_dim = dim,
                            .rotary_dim = rotary,
                            .style = fade::rotary_style::interleaved,
                            .page_size = 8,
                            .table_width = 4,
                            .page_count = 8},
                           {.new_k = new_k.data(),
                            .new_v = new_v.data(),
                            .k = expected_k.data(),
                            .v = expected_v.data(),
                            .q = q.data(),
                            .q_out = expected_q.data(),
                            .cos = cos.data(),
                            .sin = sin.data(),
                            .cache_lengths = held.data(),
                            .block_table = table.data()});
    CHECK(same(k, expected_k));
    CHECK(same(v, expected_v));
    CHECK(same(q_out, expected_q));
}

TEST_CASE("quantize") {
    opened on;
    const auto x = some<float>(2 * 5 * 3 * 16);
    auto out = poison<fade::f8e4m3>(2 * 5 * 3 * 16), expected = out;
    auto scales = poison<float>(3), expected_scales = scales;
    auto a = made(fade_quantize_init);
    a.batch = 2, a.positions = 5, a.heads = 3, a.head_dim = 16, a.per_head = 1;
    a.x = x.data(), a.out_elements = out.data(), a.scales = scales.data();
    is_done(fade_quantize(on.c, &a, nullptr));
    fade::quantize<fade::f8e4m3, float>(
        on.cpp, {.batch = 2, .positions = 5, .heads = 3, .head_dim = 16, .per_head = true},
        {.x = x.data(), .out = expected.data(), .scales = expected_scales.data()});
    CHECK(same(out, expected));
    CHECK(same(scales, expected_scales));
}

TEST_CASE("norms and their gradients") {
    opened on;
    const index rows = drawn(1, 20), columns = drawn(1, 90);
    const auto x = some<f16>(rows * columns), r = some<f16>(rows * columns), w = some<f16>(columns);
    auto y = poison<f16>(rows * columns), sum = y, dx = y, expected = y, expected_sum = y, expected_dx = y;
    auto root = poison<float>(rows), expected_root = root, mean = root, expected_mean = root;
    auto dw = poison<f16>(columns), db = dw, expected_dw = dw, expected_db = dw;
    auto a = made(fade_norm_init);
    a.in = a.out = a.weights = FADE_F16, a.rows = rows, a.columns = columns, a.epsilon = 1e-3;
    a.x = x.data(), a.residual = r.data(), a.sum = sum.data(), a.weight = w.data(), a.y = y.data();
    a.inverse_root = root.data(), a.weight_offset = 1;
    is_done(fade_rms_norm(on.c, &a, nullptr));
    fade::norm_problem p{.rows = rows, .columns = columns, .epsilon = 1e-3, .weight_offset = 1};
    fade::norm_operands<f16> o{.x = x.data(),
                               .residual = r.data(),
                               .sum = expected_sum.data(),
                               .weight = w.data(),
                               .y = expected.data(),
                               .inverse_root = expected_root.data()};
    fade::rms_norm<f16>(on.cpp, p, o);
    CHECK(same(y, expected));
    CHECK(same(sum, expected_sum));
    CHECK(same(root, expected_root));
    a.bias = w.data(), a.mean = mean.data(), a.weight_offset = 0;
    o.bias = w.data(), o.mean = expected_mean.data(), p.weight_offset = 0;
    is_done(fade_layer_norm(on.c, &a, nullptr));
    fade::layer_norm<f16>(on.cpp, p, o);
    CHECK(same(y, expected));
    CHECK(same(mean, expected_mean));

    auto b = made(fade_norm_gradient_init);
    b.in = b.gradient = b.weights = FADE_F16, b.rows = rows, b.columns = columns, b.h = sum.data(),
    b.dy = r.data();
    b.weight = w.data(), b.mean = mean.data(), b.inverse_root = root.data(), b.dx = dx.data(),
    b.dweight = dw.data();
    b.dbias = db.data();
    is_done(fade_layer_norm_gradient(on.c, &b, nullptr));
    fade::layer_norm_gradient<f16>(on.cpp, {.rows = rows, .columns = columns},
                                   {.h = sum.data(),
                                    .dy = r.data(),
                                    .weight = w.data(),
                                    .mean = mean.data(),
                                    .inverse_root = root.data(),
                                    .dx = expected_dx.data(),
                                    .dweight = expected_dw.data(),
                                    .dbias = expected_db.data()});
    CHECK(same(dx, expected_dx));
    CHECK(same(dw, expected_dw));
    CHECK(same(db, expected_db));
    b.dbias = nullptr, b.mean = nullptr;
    is_done(fade_rms_norm_gradient(on.c, &b, nullptr));
}

TEST_CASE("softmax, cross entropy and reductions") {
    opened on;
    const index rows = drawn(1, 20), columns = drawn(4, 90), stride = columns + 3;
    const auto x = some<float>(rows * stride);
    auto y = poison<float>(rows * columns), expected = y;
    auto a = made(fade_softmax_init);
    a.rows = rows, a.columns = columns, a.x_stride = stride, a.x = x.data(), a.y = y.data();
    const fade::softmax_problem p{.rows = rows, .columns = columns, .x_stride = stride};
    is_done(fade_softmax(on.c, &a, nullptr));
    fade::softmax(on.cpp, p, x.data(), expected.data());
    CHECK(same(y, expected));
    is_done(fade_log_softmax(on.c, &a, nullptr));
    fade::log_softmax(on.cpp, p, x.data(), expected.data());
    CHECK(same(y, expected));

    auto g = made(fade_softmax_gradient_init);
    auto dx = poison<float>(rows * columns), expected_dx = dx;
    g.rows = rows, g.columns = columns, g.dy_stride = stride, g.y = y.data(), g.dy = x.data(),
    g.dx = dx.data();
    const fade::softmax_gradient_problem pg{.rows = rows, .columns = columns, .dy_stride = stride};
    is_done(fade_softmax_gradient(on.c, &g, nullptr));
    fade::softmax_gradient(on.cpp, pg, y.data(), x.data(), expected_dx.data());
    CHECK(same(dx, expected_dx));
    is_done(fade_log_softmax_gradient(on.c, &g, nullptr));
    fade::log_softmax_gradient(on.cpp, pg, y.data(), x.data(), expected_dx.data());
    CHECK(same(dx, expected_dx));

    std::vector<int> labels(static_cast<std::size_t>(rows));
    for (int& l : labels) l = int(drawn(0, columns - 1));
    labels[0] = -7;
    auto loss = poison<float>(rows), log_sum = loss, expected_loss = loss, expected_log_sum = loss;
    auto e = made(fade_cross_entropy_init);
    e.rows = rows, e.columns = columns, e.x_stride = stride, e.smoothing = 0.1, e.ignored_label = -7;
    e.x = x.data(), e.labels = labels.data(), e.loss = loss.data(), e.log_sum = log_sum.data();
    const fade::cross_entropy_problem pe{
        .rows = rows, .columns = columns, .smoothing = 0.1, .ignored_label = -7, .x_stride = stride};
    is_done(fade_cross_entropy(on.c, &e, nullptr));
    fade::cross_entropy<float>(on.cpp, pe,
                               {.x = x.data(),
                                .labels = labels.data(),
                                .loss = expected_loss.data(),
                                .log_sum = expected_log_sum.data()});
    CHECK(same(loss, expected_loss));
    CHECK(same(log_sum, expected_log_sum));
    auto f = made(fade_cross_entropy_gradient_init);
    f.rows = rows, f.columns = columns, f.x_stride = stride, f.smoothing = 0.1, f.ignored_label = -7;
    f.x = x.data(), f.labels = labels.data(), f.log_sum = log_sum.data(), f.dloss = loss.data(),
    f.dx = dx.data();
    is_done(fade_cross_entropy_gradient(on.c, &f, nullptr));
    fade::cross_entropy_gradient<float>(on.cpp, pe,
                                        {.x = x.data(),
                                         .labels = labels.data(),
                                         .log_sum = log_sum.data(),
                                         .dloss = loss.data(),
                                         .dx = expected_dx.data()});
    CHECK(same(dx, expected_dx));
}

TEST_CASE("reductions and the k largest") {
    opened on;
    const index rows = drawn(4, 20), columns = drawn(4, 90);
    const auto x = some<float>(rows * columns);
    for (int of_columns = 0; of_columns < 2; ++of_columns) {
        const index count = of_columns ? columns : rows;
        auto out = poison<float>(count), expected = out;
        auto places = poison<int>(count), expected_places = places;
        auto a = made(fade_reduce_init);
        a.rows = rows, a.columns = columns, a.of_columns = of_columns, a.x = x.data(), a.values = out.data();
        const fade::reduce_problem p{.rows = rows,
                                     .columns = columns,
                                     .direction = of_columns ? fade::along::columns : fade::along::rows};
        is_done(fade_sum(on.c, &a, nullptr));
        fade::sum(on.cpp, p, x.data(), expected.data());
        CHECK(same(out, expected));
        is_done(fade_mean(on.c, &a, nullptr));
        fade::mean(on.cpp, p, x.data(), expected.data());
        CHECK(same(out, expected));
        a.places = places.data();
        is_done(fade_max(on.c, &a, nullptr));
        fade::max(on.cpp, p, x.data(), expected.data(), expected_places.data());
        CHECK(same(out, expected));
        CHECK(same(places, expected_places));
        is_done(fade_argmax(on.c, &a, nullptr));
        CHECK(same(places, expected_places));
    }
    for (int of_columns = 0; of_columns < 2; ++of_columns) {
        const index count = 3 * (of_columns ? columns : rows);
        auto t = made(fade_top_k_init);
        auto values = poison<float>(count), expected = values;
        auto places = poison<int>(count), expected_places = places;
        t.rows = rows, t.columns = columns, t.k = 3, t.x = x.data(), t.values = values.data(),
        t.places = places.data(), t.of_columns = of_columns;
        is_done(fade_top_k(on.c, &t, nullptr));
        fade::top_k(on.cpp,
                    {.rows = rows,
                     .columns = columns,
                     .k = 3,
                     .direction = of_columns ? fade::along::columns : fade::along::rows},
                    x.data(), expected.data(), expected_places.data());
        CHECK(same(values, expected));
        CHECK(same(places, expected_places));
    }
}

TEST_CASE("the k largest by a header that knew rows alone, and more of columns than there are") {
    opened on;
    const index rows = drawn(2, 5), columns = drawn(6, 40);
    const auto x = some<float>(rows * columns);
    auto values = poison<float>(rows * 2), expected = values;
    auto t = made(fade_top_k_init);
    t.rows = rows, t.columns = columns, t.k = 2, t.x = x.data(), t.values = values.data();
    t.size = offsetof(fade_top_k_args, of_columns), t.of_columns = 1;  // behind the older struct is rubbish
    is_done(fade_top_k(on.c, &t, nullptr));
    fade::top_k(on.cpp, {.rows = rows, .columns = columns, .k = 2}, x.data(), expected.data(), nullptr);
    CHECK(same(values, expected));
    t.size = sizeof t, t.k = int(rows) + 1;
    CHECK(fade_top_k(on.c, &t, nullptr) == FADE_INVALID);
    CHECK(std::string(fade_last_error()->argument) == "k");
    CHECK(std::string(fade_last_error()->rule).find("a column has") == 0);
    CHECK(same(values, expected));
}

}  // namespace

// Databases of tuned policies through fade.h: calls ask them as C++ calls do, finds keep rows, and what
// cannot be is refused.
#include "database.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fade/attention.hpp>
#include <fade/conv.hpp>
#include <fade/gemm.hpp>
#include <fade/norm.hpp>
#include <fade/softmax.hpp>
#include <fade/tune.hpp>
#include <filesystem>
#include <limits>
#include <string>

using namespace fade::test;

namespace {

using fade::index;

std::string why_of(fade_report* r) {
    std::string out = fade_report_text(r, FADE_REPORT_WHY);
    fade_report_close(r);
    return out;
}

/// find(options, database, found) and call(options) of one problem: a row that stands in the database decides
/// the call.
template <class Find, class Call>
void check(const database& kept, std::vector<index> sizes, const Find& find, const Call& call) {
    auto how = made(fade_find_options_init);
    how.mode = FADE_FIND_NORMAL, how.budget = 5;
    found searched;
    is_done(find(&how, kept.c, &searched.c));
    const fade_found_numbers n = searched.numbers();
    CHECK(n.source == (n.kept ? FADE_FOUND_TUNED : FADE_FOUND_MODEL));
    CHECK(n.model_nanoseconds > 0);
    CHECK(n.nanoseconds > 0);
    REQUIRE(!searched.text(FADE_FOUND_POLICY).empty());

    // The row as C++ writes it; libfade takes it for one of its own build.
    const std::string tuned = kept.folder + "/of-cpp.db", user = kept.folder + "/empty.db";
    fade::tuning_database({.user = tuned, .system = {}})
        .put({.problem = {searched.text(FADE_FOUND_KIND), std::move(sizes)},
              .machine = {searched.text(FADE_FOUND_ARCH), searched.text(FADE_FOUND_TRAITS)},
              .policy = searched.text(FADE_FOUND_POLICY),
              .nanoseconds = n.nanoseconds,
              .evidence = "a test's"});
    fade_tuning* again = nullptr;
    auto files = made(fade_tuning_files_init);
    const char* system[] = {tuned.c_str()};
    files.user = user.c_str(), files.system = system, files.system_count = 1;
    is_done(fade_tuning_open(&files, &again));
    auto options = made(fade_options_init);
    fade_report* said = nullptr;
    options.report = &said, options.tuned = again;
    is_done(call(&options));
    CHECK(why_of(said).find("has a row of this problem, which decides") != std::string::npos);

    how.mode = FADE_FIND_FAST;
    found hit;
    is_done(find(&how, again, &hit.c));
    CHECK(hit.numbers().source == FADE_FOUND_HIT);
    CHECK(hit.text(FADE_FOUND_EVIDENCE) == "a test's");
    fade_tuning_close(again);
}

TEST_CASE("gemm") {
    opened on;
    const database kept;
    const index m = drawn(90, 200), n = drawn(90, 200), k = drawn(50, 100);
    const auto a = some<float>(m * k), b = some<float>(k * n), bias = some<float>(n);
    auto d = poison<float>(m * n), expected = d;
    auto g = made(fade_gemm_init);
    auto stage = made(fade_stage_init);
    stage.kind = FADE_BIAS, stage.values = bias.data();
    g.m = m, g.n = n, g.k = k, g.a = a.data(), g.b = b.data(), g.d = d.data();
    g.stages = &stage, g.stage_count = 1;
    check(
        kept, {m, n, k, 1},
        [&](const fade_find_options* o, fade_tuning* t, fade_found** f) {
            return fade_find_gemm(on.c, &g, t, o, f);
        },
        [&](const fade_options* o) { return fade_gemm(on.c, &g, o); });
    fade::gemm<float>(on.cpp, {.m = m, .n = n, .k = k}, {a.data(), b.data(), nullptr, expected.data()},
                      fade::bias(bias));
    float farthest = 0;
    for (std::size_t i = 0; i < d.size(); ++i) farthest = std::max(farthest, std::abs(d[i] - expected[i]));
    CHECK(farthest < 1e-3f);  // k in another order may be another sum
}

TEST_CASE("attention") {
    opened on;
    const database kept;
    auto a = made(fade_attention_init);
    a.heads = 2, a.seq_q = drawn(40, 90), a.seq_k = drawn(90, 150), a.head_dim = 32;
    const auto q = some<fade::bf16>(a.seq_q * 64), k = some<fade::bf16>(a.seq_k * 64);
    auto o = poison<fade::bf16>(a.seq_q * 64);
    a.in = a.out = FADE_BF16, a.q = q.data(), a.k = a.v = k.data(), a.o = o.data();
    check(
        kept, {1, 2, 2, a.seq_q, a.seq_k, 32, 32},
        [&](const fade_find_options* how, fade_tuning* t, fade_found** f) {
            return fade_find_attention(on.c, &a, t, how, f);
        },
        [&](const fade_options* how) { return fade_attention(on.c, &a, how); });
}

TEST_CASE("convolution") {
    opened on;
    auto c = made(fade_conv_init);
    c.channels = 8, c.filters = 16, c.batch = 2, c.input = {1, 14, 12}, c.filter = {1, 3, 3},
    c.pad = {0, 1, 1};
    const auto x = some<float>(2 * 14 * 12 * 8), w = some<float>(16 * 9 * 8),
               dy = some<float>(2 * 14 * 12 * 16);
    std::vector<float> result(2 * 14 * 12 * 16);
    c.x = x.data(), c.w = w.data(), c.dy = dy.data(), c.result = result.data();
    const auto passes = {std::pair(&fade_find_conv_forward, &fade_conv_forward),
                         std::pair(&fade_find_conv_backward_data, &fade_conv_backward_data),
                         std::pair(&fade_find_conv_backward_weights, &fade_conv_backward_weights)};
    for (const auto& [find, call] : passes) {
        const database kept;
        check(
            kept, {2, 8, 16, 1, 14, 12},
            [&](const fade_find_options* o, fade_tuning* t, fade_found** f) {
                return find(on.c, &c, t, o, f);
            },
            [&](const fade_options* o) { return call(on.c, &c, o); });
    }
}

TEST_CASE("row operators ask, too, and the host says that it has one kernel") {
    opened on;
    const database kept;
    const index rows = drawn(2, 9), columns = drawn(20, 90);
    const auto x = some<float>(rows * columns);
    auto y = poison<float>(rows * columns), expected = y;
    const std::string tuned = kept.folder + "/of-rows.db";
    const auto check_call = [&](const char* name, const auto& call, const auto& of_cpp) {
        // What C++ asks is what a row of the database must be of.
        fade::detail::one_policy asked;
        of_cpp(&asked);
        CHECK(asked.asked_problem.kind.starts_with(std::string("rows ") + name + ", "));
        fade::tuning_database({.user = tuned, .system = {}})
            .put({.problem = asked.asked_problem,
                  .machine = asked.asked_machine,
                  .policy = fade::tune::policy_json(fade::tuned_rows{}),
                  .nanoseconds = 1,
                  .evidence = "a test's"});
        auto files = made(fade_tuning_files_init);
        files.user = tuned.c_str();
        fade_tuning* open = nullptr;
        is_done(fade_tuning_open(&files, &open));
        auto options = made(fade_options_init);
        fade_report* said = nullptr;
        options.report = &said, options.tuned = open;
        std::ranges::fill(y, std::numeric_limits<float>::quiet_NaN());
        is_done(call(&options));
        CHECK(why_of(said).find("has a row of this problem, which is not used: the host has one kernel") !=
              std::string::npos);
        CHECK(y == expected);
        fade_tuning_close(open);
    };
    auto n = made(fade_norm_init);
    n.rows = rows, n.columns = columns, n.x = x.data(), n.y = y.data();
    const fade::norm_problem norm{.rows = rows, .columns = columns, .epsilon = n.epsilon};
    const fade::norm_operands<float> o{.x = x.data(), .y = expected.data()};
    check_call(
        "rms_norm", [&](const fade_options* how) { return fade_rms_norm(on.c, &n, how); },
        [&](const fade::tuned_policies* t) { fade::rms_norm<float>(on.cpp, norm, o, {}, t); });
    check_call(
        "layer_norm", [&](const fade_options* how) { return fade_layer_norm(on.c, &n, how); },
        [&](const fade::tuned_policies* t) { fade::layer_norm<float>(on.cpp, norm, o, {}, t); });
    auto s = made(fade_softmax_init);
    s.rows = rows, s.columns = columns, s.x = x.data(), s.y = y.data();
    const fade::softmax_problem p{.rows = rows, .columns = columns};
    check_call(
        "softmax", [&](const fade_options* how) { return fade_softmax(on.c, &s, how); },
        [&](const fade::tuned_policies* t) {
            fade::softmax<float>(on.cpp, p, x.data(), expected.data(), {}, t);
        });
    check_call(
        "log_softmax", [&](const fade_options* how) { return fade_log_softmax(on.c, &s, how); },
        [&](const fade::tuned_policies* t) {
            fade::log_softmax<float>(on.cpp, p, x.data(), expected.data(), {}, t);
        });
}

TEST_CASE("what cannot be is refused, and nothing is written") {
    opened on;
    const database kept;
    std::vector<float> a(64, 1), d(64, 7);
    auto g = made(fade_gemm_init);
    g.m = g.n = g.k = 8, g.a = g.b = a.data(), g.d = d.data();
    const auto argument = [] { return std::string(fade_last_error()->argument); };
    auto how = made(fade_find_options_init);
    fade_found* none = nullptr;
    CHECK(fade_find_gemm(on.c, &g, nullptr, &how, &none) == FADE_INVALID);
    CHECK(argument() == "tuning");
    CHECK(fade_find_gemm(nullptr, &g, kept.c, &how, &none) == FADE_INVALID);
    CHECK(argument() == "device");
    for (const int wrong : {-1, 4, 8}) {
        how.mode = wrong;
        CHECK(fade_find_gemm(on.c, &g, kept.c, &how, &none) == FADE_INVALID);
        CHECK(argument() == "FADE_FIND_MODE");
    }
    how.mode = FADE_FIND_NORMAL, how.budget = 0;
    CHECK(fade_find_gemm(on.c, &g, kept.c, &how, &none) == FADE_INVALID);
    CHECK(argument() == "budget");
    how.budget = 1, how.tolerance = -1;
    CHECK(fade_find_gemm(on.c, &g, kept.c, &how, &none) == FADE_INVALID);
    how.tolerance = 0.25;
    g.column_sums = a.data() + 8;
    CHECK(fade_find_gemm(on.c, &g, kept.c, &how, &none) == FADE_INVALID);
    CHECK(argument() == "column_sums");
    g.column_sums = nullptr;
    g.in = g.out = FADE_F64;
    CHECK(fade_find_gemm(on.c, &g, kept.c, &how, &none) == FADE_UNSUPPORTED);
    auto rows = made(fade_softmax_init);
    rows.rows = rows.columns = 8, rows.x = a.data(), rows.y = d.data();
    CHECK(fade_find_softmax(on.c, &rows, kept.c, &how, &none) == FADE_UNSUPPORTED);
    CHECK(fade_verify_softmax(on.c, &rows, kept.c, &none) == FADE_UNSUPPORTED);
    CHECK(std::string(fade_last_error()->rule).find("one kernel") != std::string::npos);
    CHECK(none == nullptr);
    CHECK(d == std::vector<float>(64, 7));

    // Of an operation without policies a database would be an argument that is ignored.
    auto s = made(fade_softmax_gradient_init);
    s.rows = s.columns = 8, s.y = s.dy = a.data(), s.dx = d.data();
    auto options = made(fade_options_init);
    options.tuned = kept.c;
    CHECK(fade_softmax_gradient(on.c, &s, &options) == FADE_INVALID);
    CHECK(argument() == "tuned");
    CHECK(d == std::vector<float>(64, 7));
}

TEST_CASE("structs of an older header, and what no struct is") {
    opened on;
    const database kept;
    std::vector<float> a(64, 1), d(64, 7);
    auto g = made(fade_gemm_init);
    g.m = g.n = g.k = 8, g.a = g.b = a.data(), g.d = d.data();
    auto options = made(fade_options_init);
    options.size = offsetof(fade_options, tuned);
    options.tuned = reinterpret_cast<const fade_tuning*>(&g);  // behind what that header knows
    is_done(fade_gemm(on.c, &g, &options));
    CHECK(d == std::vector<float>(64, 8));

    auto how = made(fade_find_options_init);
    how.size = 0;
    CHECK(fade_find_gemm(on.c, &g, kept.c, &how, nullptr) == FADE_INVALID);
    auto files = made(fade_tuning_files_init);
    fade_tuning* none = nullptr;
    files.size = 1;
    CHECK(fade_tuning_open(&files, &none) == FADE_INVALID);
    CHECK(fade_tuning_open(nullptr, &none) == FADE_INVALID);

    how = made(fade_find_options_init), how.mode = FADE_FIND_FAST;
    found f;
    is_done(fade_find_gemm(on.c, &g, kept.c, &how, &f.c));
    fade_found_numbers few;
    few.size = offsetof(fade_found_numbers, nanoseconds), few.noise = -1;
    is_done(fade_found_read(f.c, &few));
    CHECK(few.source == FADE_FOUND_MODEL);
    CHECK(few.noise == -1);  // behind what was asked for
    CHECK(fade_found_read(nullptr, &few) == FADE_INVALID);
    CHECK(fade_found_read(f.c, nullptr) == FADE_INVALID);
    for (const int field : {-1, 6}) CHECK(fade_found_text(f.c, field) == nullptr);
}

TEST_CASE("files that are no database are refused, and stay as they are") {
    const database kept;
    const std::string path = kept.folder + "/text";
    std::FILE* text = std::fopen(path.c_str(), "w");
    std::fputs("no database\n", text);
    std::fclose(text);
    auto files = made(fade_tuning_files_init);
    fade_tuning* none = nullptr;
    files.user = path.c_str();
    CHECK(fade_tuning_open(&files, &none) == FADE_INVALID);
    CHECK(std::string(fade_last_error()->argument) == "tuning database");
    CHECK(std::filesystem::file_size(path) == 12);
    files.user = "";
    CHECK(fade_tuning_open(&files, &none) == FADE_INVALID);
    files.user = kept.path.c_str(), files.system_count = 1;
    CHECK(fade_tuning_open(&files, &none) == FADE_INVALID);
    CHECK(fade_tuning_open(&files, nullptr) == FADE_INVALID);
    CHECK(none == nullptr);
    fade_tuning_close(nullptr);
    fade_found_close(nullptr);
    CHECK(fade_found_text(nullptr, 0) == nullptr);
    CHECK(fade_tuning_refused_writes(nullptr) == nullptr);
}

}  // namespace

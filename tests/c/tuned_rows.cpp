// Rows of a database through fade.h, verifications of them, and a thread that adds to them.
#include "database.hpp"
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

using namespace fade::test;

namespace {

TEST_CASE("rows are kept, visited and removed, and a call's row is timed again") {
    opened on;
    const database kept;
    std::vector<float> a(64, 1), d(64, 7);
    auto g = made(fade_gemm_init);
    g.m = g.n = g.k = 8, g.a = g.b = a.data(), g.d = d.data();
    auto how = made(fade_find_options_init);
    how.mode = FADE_FIND_NORMAL;
    found none, searched;
    is_done(fade_verify_gemm(on.c, &g, kept.c, &none.c));
    CHECK(none.numbers().source == FADE_FOUND_MODEL);
    CHECK(d == std::vector<float>(64, 7));  // there was nothing to time
    is_done(fade_find_gemm(on.c, &g, kept.c, &how, &searched.c));
    const std::int64_t sizes[] = {8, 8, 8, 1};
    const std::string kind = searched.text(FADE_FOUND_KIND), policy = searched.text(FADE_FOUND_POLICY),
                      arch = searched.text(FADE_FOUND_ARCH), traits = searched.text(FADE_FOUND_TRAITS);
    auto row = made(fade_tuning_row_init);
    row.kind = kind.c_str(), row.sizes = sizes, row.size_count = 4, row.policy = policy.c_str();
    row.arch = arch.c_str(), row.traits = traits.c_str(), row.nanoseconds = 5, row.date = 3;
    is_done(fade_tuning_put(kept.c, &row));
    found again;
    is_done(fade_verify_gemm(on.c, &g, kept.c, &again.c));
    const fade_found_numbers n = again.numbers();
    CHECK(n.source == FADE_FOUND_HIT);
    CHECK(n.nanoseconds > 0);
    CHECK(n.drift == std::abs(n.nanoseconds / 5 - 1));

    struct seen {
        int rows = 0;
        double nanoseconds = 0;
    } all;
    const auto visit = [](void* to, const fade_tuning_row* r) {
        auto& s = *static_cast<seen*>(to);
        ++s.rows, s.nanoseconds = r->nanoseconds;
        CHECK((r->size_count == 4 && r->sizes[0] == 8 && r->date == 3));
        return 0;
    };
    is_done(fade_tuning_each_row(kept.c, visit, &all));
    CHECK(all.rows == 1);
    CHECK(all.nanoseconds == 5);
    std::int32_t removed = 7;
    row.date = 4;
    is_done(fade_tuning_remove(kept.c, &row, &removed));
    CHECK(removed == 0);
    row.date = 3;
    is_done(fade_tuning_remove(kept.c, &row, &removed));
    CHECK(removed == 1);

    const auto refused = [&](const char* argument) {
        CHECK(fade_tuning_put(kept.c, &row) == FADE_INVALID);
        CHECK(std::string(fade_last_error()->argument) == argument);
    };
    for (const double wrong : {0., -1., std::numeric_limits<double>::quiet_NaN()})
        row.nanoseconds = wrong, refused("nanoseconds");
    row.nanoseconds = 5, row.sizes = nullptr, refused("sizes");
    row.size_count = 65, refused("size_count");
    row.size_count = 0, row.policy = nullptr, refused("policy");
    CHECK(fade_tuning_put(nullptr, &row) == FADE_INVALID);
    CHECK(fade_tuning_each_row(kept.c, nullptr, nullptr) == FADE_INVALID);
    all = {};
    is_done(fade_tuning_each_row(kept.c, visit, &all));
    CHECK(all.rows == 0);
}

TEST_CASE("a background times what it is given") {
    opened on;
    const database kept;
    auto files = made(fade_tuning_files_init);
    files.user = kept.path.c_str();
    fade_tuning* c = nullptr;
    CHECK(fade_tuning_open_background(&files, 0, &c) == FADE_INVALID);
    is_done(fade_tuning_open_background(&files, 20, &c));
    auto g = made(fade_gemm_init);
    g.m = g.n = g.k = 8;
    std::int32_t taken = 0;
    is_done(fade_background_gemm(c, &g, 1, &taken));
    CHECK(taken == 1);
    fade_background_numbers n{};
    n.size = sizeof n;
    const char* failure = nullptr;
    do {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        is_done(fade_background_read(c, &n, &failure));
    } while (n.left > 0);
    CHECK(n.done == 1);
    CHECK(std::string(failure).empty());

    const auto refused = [&](fade_status status, const char* argument) {
        CHECK(status == FADE_INVALID);
        CHECK(std::string(fade_last_error()->argument) == argument);
    };
    refused(fade_background_gemm(c, &g, 0, &taken), "threads");
    auto conv = made(fade_conv_init);
    conv.x_zero = 3;
    refused(fade_background_conv_forward(c, &conv, 1, &taken), "x_zero");
    auto attention = made(fade_attention_init);
    attention.split_kv = 2;
    refused(fade_background_attention(c, &attention, 1, &taken), "split_kv");
    const float slope = 1;
    attention.split_kv = 0, attention.alibi = &slope;
    refused(fade_background_attention(c, &attention, 1, &taken), "alibi");
    refused(fade_background_gemm(kept.c, &g, 1, &taken), "tuning");
    refused(fade_find_gemm(on.c, &g, c, nullptr, nullptr), "tuning");
    refused(fade_tuning_each_row(c, nullptr, nullptr), "visit");
    g.out = FADE_F16;
    CHECK(fade_background_gemm(c, &g, 1, &taken) == FADE_UNSUPPORTED);
    CHECK(taken == 0);
    fade_tuning_close(c);
}

}  // namespace

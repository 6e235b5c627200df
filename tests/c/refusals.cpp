// What fade.h refuses, and how it says so: status, argument, value and rule, for each thread its own.
#include <doctest/doctest.h>
#include <fade.h>
#include <string>
#include <thread>
#include <vector>

namespace {

std::string argument() { return fade_last_error()->argument; }
std::string rule() { return fade_last_error()->rule; }

struct opened {
    fade_device* device = nullptr;
    float a[64] = {}, d[64];
    fade_gemm_args g;
    opened() {
        REQUIRE(fade_device_open("host", nullptr, &device) == FADE_OK);
        fade_gemm_init(&g, sizeof g);
        g.m = g.n = g.k = 8, g.a = a, g.b = a, g.d = d;
        for (float& x : d) x = 7;
    }
    ~opened() { fade_device_close(device); }
};

TEST_CASE("an argument that cannot be is named, with its value and the rule, and nothing is written") {
    opened on;
    on.g.lda = 3;
    CHECK(fade_gemm(on.device, &on.g, nullptr) == FADE_INVALID);
    CHECK(fade_last_error()->status == FADE_INVALID);
    CHECK(argument() == "lda");
    CHECK(std::string(fade_last_error()->value) == "3");
    CHECK(std::string(fade_last_error()->message) == "lda is 3, but " + rule());
    CHECK(on.d[0] == 7);
}

TEST_CASE("what this library does not hold is unsupported, and it says what it holds") {
    opened on;
    on.g.in = FADE_F64, on.g.out = FADE_F16;
    CHECK(fade_gemm(on.device, &on.g, nullptr) == FADE_UNSUPPORTED);
    CHECK(rule().find("f64 to f64") != std::string::npos);
    fade_device* none = nullptr;
    for (const char* name : {"hop", "hip", "hip:", "hip:x", "hip:-1", "emulated:gfx0", ""})
        CHECK(fade_device_open(name, nullptr, &none) == FADE_UNSUPPORTED);
    CHECK(none == nullptr);
}

TEST_CASE("enums outside their values, null pointers and streams of a CPU are refused") {
    opened on;
    fade_gemm_args g = on.g;
    g.layout = 4;
    CHECK(fade_gemm(on.device, &g, nullptr) == FADE_INVALID);
    CHECK(argument() == "layout");
    g = on.g, g.in = 10;
    CHECK(fade_gemm(on.device, &g, nullptr) == FADE_INVALID);
    CHECK(argument() == "in");
    g = on.g, g.out = -1;
    CHECK(fade_gemm(on.device, &g, nullptr) == FADE_INVALID);
    g = on.g, g.stage_count = 1;
    CHECK(fade_gemm(on.device, &g, nullptr) == FADE_INVALID);
    CHECK(argument() == "stages");
    g = on.g, g.stage_count = 9;
    CHECK(fade_gemm(on.device, &g, nullptr) == FADE_INVALID);
    fade_stage stage;
    fade_stage_init(&stage, sizeof stage);
    stage.kind = 99, g = on.g, g.stages = &stage, g.stage_count = 1;
    CHECK(fade_gemm(on.device, &g, nullptr) == FADE_INVALID);
    stage.kind = FADE_SWIGLU, g.beta = 1;
    CHECK(fade_gemm(on.device, &g, nullptr) == FADE_INVALID);
    CHECK(argument() == "beta");
    stage.kind = FADE_AMAX, g.beta = 0;
    CHECK(fade_gemm(on.device, &g, nullptr) == FADE_INVALID);
    CHECK(argument() == "amax");
    g = on.g, g.a = nullptr;
    CHECK(fade_gemm(on.device, &g, nullptr) == FADE_INVALID);
    CHECK(fade_gemm(nullptr, &on.g, nullptr) == FADE_INVALID);
    CHECK(fade_gemm(on.device, nullptr, nullptr) == FADE_INVALID);
    fade_device* none = nullptr;
    CHECK(fade_device_open(nullptr, nullptr, &none) == FADE_INVALID);
    CHECK(fade_device_open("host", nullptr, nullptr) == FADE_INVALID);
    fade_options o;
    fade_options_init(&o, sizeof o);
    o.stream = &o;
    CHECK(fade_gemm(on.device, &on.g, &o) == FADE_INVALID);
    CHECK(argument() == "stream");
}

TEST_CASE("a struct may be of an older or a newer header") {
    opened on;
    CHECK(fade_gemm(on.device, &on.g, nullptr) == FADE_OK);
    fade_gemm_args older = on.g;  // one that ends before the stages, with rubbish behind
    older.size = offsetof(fade_gemm_args, stages), older.stage_count = 77;
    CHECK(fade_gemm(on.device, &older, nullptr) == FADE_OK);
    struct newer {
        fade_gemm_args known;
        void* more;
    } n{on.g, nullptr};
    n.known.size = sizeof n;
    CHECK(fade_gemm(on.device, &n.known, nullptr) == FADE_OK);
    n.more = &n;
    CHECK(fade_gemm(on.device, &n.known, nullptr) == FADE_INVALID);
    CHECK(rule().find("a field behind them is set") != std::string::npos);
    fade_gemm_args nothing = on.g;
    nothing.size = 0;
    CHECK(fade_gemm(on.device, &nothing, nullptr) == FADE_INVALID);
    CHECK(argument() == "arguments.size");
    struct guarded {
        char small[16];
        char behind = 5;
    } short_one;
    fade_gemm_init(reinterpret_cast<fade_gemm_args*>(&short_one), sizeof short_one.small);
    CHECK(short_one.behind == 5);
}

TEST_CASE("a stage of a header whose numbers were floats is refused") {
    opened on;
    struct older {
        size_t size;
        fade_stage_kind kind;
        float low, high;
        const void* values;
        int64_t ld, batch_stride;
    } stage;
    static_assert(sizeof stage < sizeof(fade_stage));
    auto* given = reinterpret_cast<fade_stage*>(&stage);
    fade_stage_init(given, sizeof stage);
    stage.kind = FADE_SCALE, stage.low = 2;
    on.g.stages = given, on.g.stage_count = 1;
    CHECK(fade_gemm(on.device, &on.g, nullptr) == FADE_INVALID);
    CHECK(argument() == "stages.size");
    CHECK(rule().find("recompiled") != std::string::npos);
    CHECK(on.d[0] == 7);
}

TEST_CASE("a plan says what would be launched and runs nothing") {
    opened on;
    fade_options o;
    fade_options_init(&o, sizeof o);
    fade_plan* plan = nullptr;
    fade_report* report = nullptr;
    o.plan = &plan, o.report = &report;
    REQUIRE(fade_gemm(on.device, &on.g, &o) == FADE_OK);
    CHECK(on.d[0] == 7);
    CHECK(fade_plan_launch_count(plan) == 1);
    fade_launch launch{};
    launch.size = sizeof launch;
    CHECK(fade_plan_launch(plan, 0, &launch) == FADE_OK);
    CHECK(launch.grid[0] >= 1);
    CHECK(launch.cluster == 1);
    CHECK(launch.argument_bytes > 0);
    CHECK(fade_plan_launch(plan, 1, &launch) == FADE_INVALID);
    CHECK(std::string(fade_report_text(report, FADE_REPORT_REQUESTED)).find("8 x 8 x 8") !=
          std::string::npos);
    CHECK(fade_report_text(report, 6) == nullptr);
    CHECK(fade_report_fallback(report) == 0);
    fade_plan_close(plan), fade_report_close(report);
}

TEST_CASE("each thread has its own last error") {
    opened on;
    on.g.lda = 3;
    CHECK(fade_gemm(on.device, &on.g, nullptr) == FADE_INVALID);
    std::string there = "unset";
    fade_status status = -1;
    std::thread([&] { status = fade_last_error()->status, there = argument(); }).join();
    CHECK(status == FADE_OK);
    CHECK(there.empty());
    CHECK(argument() == "lda");
}

TEST_CASE("a device that another thread uses refuses, and every call is done or refused") {
    opened on;
    on.g.m = on.g.n = on.g.k = 8;
    std::vector<std::thread> threads;
    std::atomic<int> done{0}, refused{0}, other{0};
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            float d[64];
            fade_gemm_args g = on.g;
            g.d = d;
            for (int i = 0; i < 200; ++i) {
                const fade_status s = fade_gemm(on.device, &g, nullptr);
                if (s == FADE_OK)
                    ++done;
                else if (argument() == "device")
                    ++refused;
                else
                    ++other;
            }
        });
    for (std::thread& t : threads) t.join();
    CHECK(done + refused == 800);
    CHECK(done > 0);
    CHECK(other == 0);
}

TEST_CASE("kinds of devices") {
    REQUIRE(fade_kind_count() >= 1);
    bool host = false;
    for (int i = 0; i < fade_kind_count(); ++i) host = host || fade_kind(i) == std::string("host");
    CHECK(host);
    CHECK(fade_kind(-1) == nullptr);
    CHECK(fade_kind(fade_kind_count()) == nullptr);
    CHECK(fade_device_count("host") == 1);
    CHECK(fade_device_count("nothing") == 0);
    CHECK(fade_device_count(nullptr) == 0);
    CHECK(std::string(fade_version()).size() >= 5);
}

}  // namespace

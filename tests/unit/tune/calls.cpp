// Calls that ask a tuning database: what they run, and what they say of it.
#include "common/processor_time.hpp"
#include "told.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fade/device/tune/gemm_by_module.hpp>
#include <fade/gemm.hpp>
#include <fade/tune.hpp>
#include <filesystem>
#include <limits>
#include <map>
#include <random>
#include <thread>
#include <vector>

using namespace fade;
namespace fs = std::filesystem;

namespace {

using test::scratch_file;

/// Answers with what a test says, and remembers what was asked.
struct told : tuned_policies {
    tuned_policy answer;
    tuned_gemm gemm{};
    mutable tuning_problem problem;
    mutable tuning_machine machine;
    mutable int calls = 0;
    tuned_policy find(const tuning_problem& p, const tuning_machine& m) const override {
        problem = p, machine = m, ++calls;
        tuned_policy out = answer;
        if (out.policy.empty()) out.policy = tune::policy_json(gemm);
        return out;
    }
};

struct product {
    gemm_problem problem;
    std::vector<float> a, b, d;
    explicit product(fade::index m, fade::index n, fade::index k) : problem{.m = m, .n = n, .k = k} {
        const unsigned seed = std::random_device{}();
        MESSAGE("seed ", seed);
        std::mt19937 random(seed);
        std::uniform_real_distribution<float> number(-1, 1);
        for (fade::index i = 0; i < m * k; ++i) a.push_back(number(random));
        for (fade::index i = 0; i < k * n; ++i) b.push_back(number(random));
        d.assign(std::size_t(m * n), std::numeric_limits<float>::quiet_NaN());
    }
    gemm_operands<float> operands() { return {.a = a.data(), .b = b.data(), .d = d.data()}; }
    /// Relative distance of D from sums in f64.
    double error() const {
        double apart = 0, size = 0;
        const auto [m, n, k] = std::array{problem.m, problem.n, problem.k};
        for (fade::index i = 0; i < m; ++i)
            for (fade::index j = 0; j < n; ++j) {
                double sum = 0;
                for (fade::index l = 0; l < k; ++l)
                    sum += double(a[std::size_t(i * k + l)]) * double(b[std::size_t(l * n + j)]);
                apart += std::pow(sum - double(d[std::size_t(i * n + j)]), 2), size += sum * sum;
            }
        return std::sqrt(apart / size);
    }
};

bool says(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("the host cuts D as the row says, and computes the same") {
    host_device device(2);
    product p(150, 130, 70);
    told rows;
    gemm_plan model = plan_gemm<float>(device, p.problem, p.operands());
    for (const tile_shape tile : {tile_shape{31, 17, 512}, {150, 64, 512}, {1, 128, 512}}) {
        p.d.assign(p.d.size(), std::numeric_limits<float>::quiet_NaN());
        rows.answer = {.match = tuned_match::exact, .why = "a test has a row", .evidence = "tuned: made up"};
        rows.gemm.policy = model.policy, rows.gemm.policy.block_tile = tile;
        CHECK(plan_gemm<float>(device, p.problem, p.operands(), {}, {.tuned = &rows}).policy ==
              rows.gemm.policy);
        const report said = gemm<float>(device, p.problem, p.operands(), {}, {.tuned = &rows});
        CHECK(says(said.why, "a test has a row, which decides"));
        CHECK(said.evidence == "tuned: made up");
        CHECK(p.error() < 1e-6);
    }
    CHECK(rows.machine.traits == "2 compute units" + host_traits_in_words());
    CHECK(rows.problem.kind == "gemm nn f32 to f32, epilogue none, read strided, split_k 1");
    CHECK(rows.problem.sizes == std::vector<fade::index>{150, 130, 70, 1});
}

TEST_CASE("what is tried on the host is what a call would take") {
    host_device device(2);
    const unsigned seed = std::random_device{}();
    MESSAGE("seed ", seed);
    std::mt19937 random(seed);
    const auto drawn = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    int tried = 0;
    for (int i = 0; i < 20; ++i) {
        product p(drawn(90, 600), drawn(90, 600), drawn(20, 60));
        INFO(p.problem.m, " ", p.problem.n, " ", p.problem.k);
        const gemm_operands<float> memory = p.operands();
        const epilogue::none nothing;
        const detail::product_to_tune<float, float, epilogue::none> call(device, p.problem, memory, nothing);
        for (const auto& c : call.candidates()) {
            const auto policy = tune::read_policy<tuned_gemm>(c.policy);
            REQUIRE(policy);
            CHECK(tune::fit_host<float>(p.problem, policy->policy, true).obstacle == "");
            ++tried;
        }
    }
    CHECK(tried > 60);
}

TEST_CASE("rows that the host has no kernel for are named and not used") {
    host_device device(2);
    product p(150, 130, 70);
    told rows;
    const gemm_policy model = plan_gemm<float>(device, p.problem, p.operands()).policy;
    rows.answer = {.match = tuned_match::exact, .why = "a row", .evidence = "made up"};
    rows.gemm.policy = model;
    for (const tile_shape tile : {tile_shape{0, 17, 512}, {4000, 17, 512}, {17, 100000, 512}, {17, 17, 64}}) {
        rows.gemm.policy.block_tile = tile;
        const gemm_plan plan = plan_gemm<float>(device, p.problem, p.operands(), {}, {.tuned = &rows});
        CHECK(says(plan.report.why, "not used: the host has no kernel of its policy"));
        CHECK(plan.policy == model);
        CHECK(plan.report.evidence != "made up");
    }
    for (const char* text : {"{}", "{\"block_tile\":[1,1,1]}", "nonsense"}) {
        rows.answer.policy = text;
        const gemm_plan plan = plan_gemm<float>(device, p.problem, p.operands(), {}, {.tuned = &rows});
        CHECK(says(plan.report.why, "a row, which is not used: its policy is none of this version of FADE"));
        CHECK(plan.policy == model);
    }
    rows.answer.policy = "";
    rows.gemm.policy = model, rows.answer.match = tuned_match::near;
    CHECK(says(plan_gemm<float>(device, p.problem, p.operands(), {}, {.tuned = &rows}).report.why,
               "shares of D fit one problem alone"));
}

TEST_CASE("what is not read in runs keeps the kernels of few columns") {
    using device = emulated_device<arch::gfx1100>;
    device one;
    product p(100, 3, 256);
    told rows;
    rows.answer = {.match = tuned_match::exact, .why = "a row", .evidence = "made up"};
    constexpr tune::gemm_row row = tune::row_of<arch::gfx1100, float>();
    const auto said = [&](const gemm_policy& policy) {
        rows.gemm.policy = policy;
        return plan_gemm<float>(one, p.problem, p.operands(), {}, {.tuned = &rows}).report;
    };
    const gemm_policy few = tune::policy_for(row, tune::size_class::skinny_columns, operand_access::nn);
    CHECK(said(few).evidence == "made up");
    CHECK(says(said(few).chosen, "gemm_nn_skinny_columns"));
    CHECK(says(rows.problem.kind, "read nn of few"));
    for (const gemm_policy& policy : {row.large, row.small}) {
        CHECK(says(said(policy).why, "not used: this program holds no kernel of its policy"));
        CHECK(says(said(policy).chosen, "gemm_nn_skinny_columns"));
    }
    gemm<float>(one, p.problem, p.operands(), {}, {.tuned = &rows});
    CHECK(p.error() < 1e-6);
}

TEST_CASE_TEMPLATE("emulated GPUs take the kernel of the row, where the program holds it", Device,
                   emulated_device<arch::gfx942>, emulated_device<arch::gfx1100>) {
    Device device;
    product p(128, 96, 256);
    told rows;
    constexpr tune::gemm_row row = tune::gemm_rows<typename Device::arch, float>::row;
    const auto plan = [&](int split_k) {
        return plan_gemm<float, float, only(operand_access::nn)>(device, p.problem, p.operands(), {},
                                                                 {.split_k = split_k, .tuned = &rows});
    };
    rows.answer = {.match = tuned_match::exact, .why = "a row", .evidence = "made up"};
    rows.gemm = {.policy = row.large, .split_k = 2};
    CHECK(plan(1).policy == row.large);
    CHECK(plan(1).workspace_bytes == 0);
    CHECK(plan(0).workspace_bytes == 128 * 96 * 2 * sizeof(float));
    CHECK(says(rows.problem.kind, "split_k 0"));
    CHECK(plan(0).report.evidence == "made up");
    const report said = gemm<float, float, only(operand_access::nn)>(device, p.problem, p.operands(), {},
                                                                     {.split_k = 0, .tuned = &rows});
    CHECK(says(said.chosen, "gemm_nn_large"));
    CHECK(says(said.chosen, "k shared by 2"));
    CHECK(p.error() < 1e-6);

    rows.answer.match = tuned_match::near;
    CHECK(plan(1).policy == row.large);
    rows.gemm.policy.swizzle_rows = 77;
    CHECK(plan(1).policy == row.small);
    CHECK(says(plan(1).report.why, "not used: this program holds no kernel of its policy"));
    rows.gemm.policy = row.large;
    for (auto match : {tuned_match::stale, tuned_match::miss, tuned_match::unreadable}) {
        rows.answer.match = match;
        CHECK(plan(1).policy == row.small);
        CHECK(says(plan(1).report.why, "a row"));
        CHECK(plan(1).report.evidence != "made up");
    }
}

// An emulated device has no speed, so tune_gemm refuses it; what a GPU would time can be run here.
TEST_CASE_TEMPLATE("what is tried on a GPU is what a call would take, and is right", Device,
                   emulated_device<arch::gfx942>, emulated_device<arch::gfx1100>) {
    constexpr gemm_kernels kernels = only(operand_access::nn);
    Device device;
    product p(128, 96, 256);
    const gemm_operands<float> memory = p.operands();
    const epilogue::none nothing;
    detail::product_to_tune<float, float, epilogue::none, Device, kernels> call(device, p.problem, memory,
                                                                                nothing, 0);
    const detail::tuned_call tried = call.call();
    CHECK(call.rotate(4 << 20, detail::deadline::never()) > 1);
    const auto all = call.candidates();
    CHECK(all.size() > 3);
    told rows;
    rows.answer = {.match = tuned_match::exact, .why = "a row", .evidence = "made up"};
    for (const auto& c : all) {
        REQUIRE(tune::read_policy<tuned_gemm>(c.policy));
        rows.gemm = *tune::read_policy<tuned_gemm>(c.policy);
        CHECK(c.policy != tried.model);
        const auto plan =
            plan_gemm<float, float, kernels>(device, p.problem, memory, {}, {.split_k = 0, .tuned = &rows});
        CHECK(plan.report.evidence == "made up");
        CHECK(plan.policy == rows.gemm.policy);
        CHECK((plan.workspace_bytes > 0) == (rows.gemm.split_k > 1));
        // The call's own memory is the first of the sets.
        std::ranges::fill(p.d, std::numeric_limits<float>::quiet_NaN());
        call.source.policy = c.policy, call.at_once = call.rotate(0, detail::deadline::never());
        tried.run();
        CHECK(p.error() < 1e-6);
    }
    const scratch_file file;
    tuning_database db({file.path(), {}});
    call.at_once = 1;
    const tuning found = detail::tune_within(device, call, db, std::chrono::seconds(20));
    CHECK(found.kept);
    CHECK(found.whole);
    CHECK(found.candidates == int(all.size()));
    CHECK(db.row_of(found.row.problem, found.row.machine));
    const verification again = detail::verify_row(device, call, found.row);
    CHECK(again.obstacle.empty());
    CHECK(again.nanoseconds > 0);
}

TEST_CASE("a row whose kernel the program does not hold runs by a module, where the caller has a cache") {
    emulated_device<arch::gfx942> device;
    product p(70, 96, 64);
    told rows;
    constexpr tune::gemm_row row = tune::gemm_rows<arch::gfx942, float>::row;
    rows.answer = {.match = tuned_match::exact, .why = "a row", .evidence = "made up"};
    rows.gemm.policy = row.small, rows.gemm.policy.swizzle_rows = 77;
    const auto found = [](const char* compiler) {
        try {
            return tune::program_file("compiler", compiler);
        } catch (const error&) {
            return std::string();
        }
    };
    std::string cxx = found("c++");
    if (cxx.empty()) cxx = found("clang++");
    if (cxx.empty()) {
        MESSAGE("skipped: neither c++ nor clang++ is in PATH");
        return;
    }
    std::string folder = (fs::temp_directory_path() / "fade-calls-XXXXXX").string();
    REQUIRE(::mkdtemp(folder.data()));
    const std::string include = (fs::absolute(__FILE__).parent_path() / "../../../include").string();
    const auto run = [&](tune::module_cache& modules) {
        std::ranges::fill(p.d, std::numeric_limits<float>::quiet_NaN());
        const report said = gemm_by_module<float, float, only(operand_access::nn)>(
            device, p.problem, p.operands(), modules, {.split_k = 0, .tuned = &rows});
        CHECK(p.error() < 1e-6);
        return said;
    };
    module_options options{.compiler = cxx, .include = include, .folder = folder, .compiles = false};
    tune::module_cache loads(options);
    CHECK(says(run(loads).why, "no module: the cache has no module of this policy"));
    options.compiles = true;
    tune::module_cache compiles(options);
    report said = run(compiles);
    CHECK(says(said.chosen, "a module of block_tile 64x64"));
    CHECK(says(said.chosen, "swizzle_rows 77"));
    CHECK(says(said.why, "a module was compiled for it"));
    CHECK(said.evidence == "made up");
    said = run(loads);
    CHECK(says(said.why, "a module of the cache has it"));
    // No module for a row that another size has, for the program's own kernel, or for what breaks a rule.
    rows.answer.match = tuned_match::near;
    CHECK_FALSE(says(run(loads).chosen, "a module"));
    rows.answer.match = tuned_match::exact, rows.gemm.policy = row.large;
    CHECK(says(run(loads).chosen, "gemm_nn_large"));
    rows.gemm.policy.wave_tile.m = 48;
    CHECK(says(run(compiles).why, "no module: the compiler refuses it: static assertion failed"));
    CHECK_THROWS_AS(
        (gemm_by_module<float, float, only(operand_access::nn)>(device, p.problem, p.operands(), loads, {})),
        error);
    fs::remove_all(folder);
}

namespace {
struct described : emulated_device<arch::gfx942> {
    std::string traits = ", 8 compute dies";
    const std::string& true_traits() const { return traits; }
};
}  // namespace

TEST_CASE("a device that knows more of itself has rows of its own") {
    described device;
    product p(128, 96, 256);
    told rows;
    plan_gemm<float, float, only(operand_access::nn)>(device, p.problem, p.operands(), {}, {.tuned = &rows});
    CHECK(rows.machine == tuning_machine{"gfx942", "64 compute units, 8 compute dies"});
}

TEST_CASE("a passed policy is not replaced") {
    emulated_device<arch::gfx1100> device;
    product p(64, 64, 64);
    told rows;
    constexpr tune::gemm_row row = tune::gemm_rows<arch::gfx1100, float>::row;
    rows.answer = {.match = tuned_match::exact, .why = "a row", .evidence = "made up"};
    rows.gemm.policy = row.large;
    const gemm_plan plan = plan_gemm<float, float, with_policy(row.small, only(operand_access::nn))>(
        device, p.problem, p.operands(), {}, {.tuned = &rows});
    CHECK(plan.policy == row.small);
    CHECK(rows.calls == 0);
    CHECK(says(plan.report.why, "the tuning database is not asked, since the policy was passed"));
}

TEST_CASE("a D without elements asks nobody") {
    host_device device(1);
    told rows;
    gemm_plan plan =
        plan_gemm<float>(device, {.m = 0, .n = 4, .k = 4}, gemm_operands<float>{}, {}, {.tuned = &rows});
    CHECK(rows.calls == 0);
    CHECK(plan.report.chosen == "nothing");
}

TEST_CASE("tuning keeps its budget, and a row only where it won twice") {
    std::string folder = (fs::temp_directory_path() / "fade-tune-XXXXXX").string();
    REQUIRE(::mkdtemp(folder.data()));
    host_device device(1);
    product p(192, 160, 128);
    {
        tuning_database db({folder + "/db", {}});
        int timed = 0;
        for (double seconds = 0.05; timed < 3; seconds *= 2) {
            REQUIRE(seconds < 100);
            // One thread takes no more of a processor than passes on the clock that the budget is of.
            const double begin = test::processor_seconds();
            const tuning found =
                tune_gemm<float>(device, p.problem, p.operands(), db, std::chrono::duration<double>(seconds));
            CHECK(test::processor_seconds() - begin < 1.05 * seconds + 0.05);
            if (found.model_nanoseconds == 0) continue;  // the processor was kept from it
            ++timed;
            CHECK(p.error() < 1e-6);
            const gemm_plan plan = plan_gemm<float>(device, p.problem, p.operands(), {}, {.tuned = &db});
            if (found.kept) {
                CHECK(found.row.nanoseconds <= found.model_nanoseconds);
                CHECK(says(plan.report.why, "the tuning database has a row of this problem, which decides"));
                CHECK(tune::policy_json(tuned_gemm{plan.policy}) == found.row.policy);
            }
        }
        CHECK_THROWS_AS(tune_gemm<float>(device, p.problem, p.operands(), db, std::chrono::seconds(0)),
                        error);
        p.problem.beta = 1;
        CHECK_THROWS_AS(tune_gemm<float>(device, p.problem, p.operands(), db, std::chrono::seconds(1)),
                        error);
    }
    fs::remove_all(folder);
}

TEST_CASE("a product whose first call would be longer than the budget is not begun") {
    std::string folder = (fs::temp_directory_path() / "fade-tune-XXXXXX").string();
    REQUIRE(::mkdtemp(folder.data()));
    host_device device(1);
    product p(512, 512, 512);
    {
        tuning_database db({folder + "/db", {}});
        const tuning found =
            tune_gemm<float>(device, p.problem, p.operands(), db, std::chrono::microseconds(100));
        CHECK(found.model_nanoseconds == 0);
        CHECK(found.candidates == 0);
        CHECK_FALSE(found.kept);
        CHECK(std::ranges::all_of(p.d, [](float x) { return std::isnan(x); }));
    }
    fs::remove_all(folder);
}

TEST_CASE("calls are not begun where there is no room for them") {
    const auto wait = [](int milliseconds) {
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    };
    int calls = 0;
    const auto slow_at_first = [&] { wait(calls++ == 0 ? 400 : 2); };
    const detail::deadline late = detail::deadline::never();
    detail::call_times times;
    for (int i = 0; i < 3; ++i) CHECK(detail::time_call(slow_at_first, late, 0, times));
    CHECK(times.count() == 2);
    CHECK(times.median() >= 2e6);
    CHECK(times.longest() < 400e6);
    calls = 0;
    detail::call_times none;
    CHECK_FALSE(detail::time_call(slow_at_first, detail::deadline(std::chrono::milliseconds(50)), 1e9, none));
    CHECK(calls == 0);
    const detail::deadline soon(std::chrono::milliseconds(700));
    CHECK(detail::time_call(slow_at_first, soon, 1e6, none));
    CHECK_FALSE(detail::time_call(slow_at_first, soon, 1e6, none));
    CHECK(calls == 1);
}

TEST_CASE("medians, noise and the order of times") {
    detail::call_times times;
    for (const double t : {900., 5., 1., 4., 2.}) times.add(t);  // the first warms up
    CHECK(times.count() == 4);
    CHECK(times.median() == 2);
    CHECK(times.noise() == doctest::Approx((4. - 2) / 2));
    CHECK(times.error() == doctest::Approx(0.5));
    CHECK(times.longest() == 5);
}

namespace {

/// Calls that spend a time of each policy's, in milliseconds: "" is the model's choice.
struct race {
    detail::one_policy source;
    std::map<std::string, int> calls;
    std::map<std::string, double> cost, later;  // of the first three calls, and where there is one of others
    detail::tuned_call call{
        .source = source, .run = [this] { spend(); }, .model = "{\"model\":0}", .longest = 1e9};

    race() { source.asked_problem = {"of a test", {1}}, source.asked_machine = {"host", "none"}; }
    void spend() {
        const bool late = ++calls[source.policy] > 3 && later.contains(source.policy);
        const double wanted = (late ? later : cost).at(source.policy);
        // Who sleeps is not kept from the CPU by others as who computes is. They may wake it a few
        // milliseconds late, which costs below differ by more than.
        std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(wanted));
    }
    void add(const std::string& policy, double milliseconds) {
        call.candidates.push_back({policy, 100}), cost[policy] = milliseconds;
    }
};

}  // namespace

TEST_CASE("half of the candidates stay for twice as many calls, and the fastest wins") {
    const scratch_file file;
    tuning_database db({file.path(), {}});
    race r;
    r.cost[""] = 40;
    const double costs[] = {10, 10, 95, 10, 30, 3, 30, 30};
    for (int i = 0; i < 8; ++i) r.add("{\"policy\":" + std::to_string(i) + "}", costs[i]);
    const tuning found = detail::search(r.call, detail::deadline::never(), db);
    CHECK(found.kept);
    CHECK(found.whole);
    CHECK(found.candidates == 8);
    CHECK(found.row.policy == "{\"policy\":5}");
    CHECK(found.row.nanoseconds < found.model_nanoseconds);
    REQUIRE(found.times.size() == 9);
    CHECK(found.times[0].policy == "{\"model\":0}");
    CHECK(r.calls["{\"policy\":2}"] == 2);  // hopeless: one to warm up and one more
    CHECK(r.calls["{\"policy\":7}"] <= 3);  // the worse half leaves
    CHECK(found.times[6].calls > 4);
    CHECK(db.row_of(found.row.problem, found.row.machine)->row.policy == found.row.policy);
}

TEST_CASE(
    "a policy that the noise hides does not win: the model's choice is kept, where rows of it are used") {
    for (const bool fits : {true, false}) {
        const scratch_file file;
        tuning_database db({file.path(), {}});
        race r;
        r.call.model_fits = fits;
        r.cost[""] = 5;
        for (int i = 0; i < 4; ++i) r.add("{\"policy\":" + std::to_string(i) + "}", 15 + 10 * i);
        const tuning found = detail::search(r.call, detail::deadline::never(), db);
        CHECK(found.whole);
        CHECK(found.kept == fits);
        CHECK(found.row.policy == "{\"model\":0}");
        CHECK(found.row.nanoseconds == found.model_nanoseconds);
        CHECK(db.row_of(found.row.problem, found.row.machine).has_value() == fits);
    }
}

TEST_CASE("a winner that is slower than the model's choice when both are timed again is not kept") {
    for (const bool fits : {true, false}) {
        const scratch_file file;
        tuning_database db({file.path(), {}});
        race r;
        r.call.model_fits = fits;
        r.cost[""] = 16;
        r.add("{\"policy\":0}", 4);
        r.later["{\"policy\":0}"] = 48;
        const tuning found = detail::search(r.call, detail::deadline::never(), db);
        CHECK(r.calls["{\"policy\":0}"] == 3 + detail::warming + detail::final_calls);
        CHECK(found.whole);
        CHECK(found.row.policy == "{\"model\":0}");
        CHECK(found.row.nanoseconds == found.model_nanoseconds);
        CHECK(found.kept == fits);
        const auto row = db.row_of(found.row.problem, found.row.machine);
        CHECK(row.has_value() == fits);
        CHECK((!row || row->row.policy == "{\"model\":0}"));
    }
}

TEST_CASE("the memory of a call is copied until the sets fill what is asked, and calls take them in turn") {
    const unsigned seed = std::random_device{}();
    MESSAGE("seed ", seed);
    std::mt19937 random(seed);
    std::vector<float> a(999), d(77);
    for (float& x : a) x = float(random());
    const auto range = [](std::vector<float>& v) {
        return bytes_from(v.data(), wide_index(v.size() * sizeof(float)));
    };
    detail::memory_sets sets;
    sets.make({{range(a)}, {bytes_from(nullptr, 9)}, {range(d), false}}, 20'000, detail::deadline::never());
    CHECK(sets.count() == 5);
    std::vector<const float*> seen;
    for (int i = 0; i < 2 * sets.count(); ++i) {
        element_pointer<const float> at = a.data(), none;
        element_pointer<float> out = d.data();
        sets.next(), sets.move(0, at), sets.move(1, none), sets.move(2, out);
        CHECK((at.get() == a.data()) == (i % sets.count() == 0));
        CHECK((out.get() == d.data()) == (i % sets.count() == 0));
        CHECK(reinterpret_cast<std::uintptr_t>(at.get()) % 64 ==
              reinterpret_cast<std::uintptr_t>(a.data()) % 64);
        CHECK(std::equal(a.begin(), a.end(), at.get()));
        CHECK(none.get() == nullptr);
        std::fill_n(out.get(), d.size(), float(i));  // changes no input
        seen.push_back(at);
    }
    std::ranges::sort(seen);
    CHECK(std::unique(seen.begin(), seen.end()) - seen.begin() == sets.count());
    detail::memory_sets large;
    large.make({{range(a)}}, 100, detail::deadline::never());
    CHECK(large.count() == 1);
    detail::memory_sets late;
    late.make({{range(a)}}, 1 << 20, detail::deadline(std::chrono::seconds(-1)));
    CHECK(late.count() == 1);
}

TEST_CASE("verifying times a row of the same call alone") {
    host_device device(1);
    product p(64, 48, 32);
    detail::one_policy asked;
    const gemm_policy model = plan_gemm<float>(device, p.problem, p.operands(), {}, {.tuned = &asked}).policy;
    const tune::tuning_row row{.problem = asked.asked_problem,
                               .machine = asked.asked_machine,
                               .policy = tune::policy_json(tuned_gemm{model}),
                               .nanoseconds = 1};
    const auto verify = [&](const tune::tuning_row& r) {
        return verify_gemm<float>(device, p.problem, p.operands(), r);
    };
    const verification found = verify(row);
    CHECK(found.obstacle == "");
    CHECK(found.nanoseconds > 0);
    CHECK(found.model_nanoseconds > 0);
    CHECK(found.drift == doctest::Approx(found.nanoseconds - 1));
    CHECK(p.error() < 1e-6);
    tune::tuning_row other = row;
    other.build.compiler = "x";
    CHECK(says(verify(other).obstacle, "another build"));
    other = row, other.machine.traits = "3 compute units";
    CHECK(says(verify(other).obstacle, "with 3 compute units, and this is host with 1 compute unit"));
    other = row, other.problem.sizes[0] = 65;
    CHECK(says(verify(other).obstacle, "and the call is"));
    tuned_gemm deeper{model};
    deeper.policy.block_tile.k += 1;
    other = row, other.policy = tune::policy_json(deeper);
    CHECK(says(verify(other).obstacle, "which is not used: the host has no kernel of its policy"));
    CHECK(verify(other).nanoseconds == 0);
    p.problem.beta = 1;
    CHECK_THROWS_AS(verify(row), error);
}

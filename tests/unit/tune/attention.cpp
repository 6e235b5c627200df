// Attention that asks a tuning database: what it runs, and what it says of it.
#include "common/processor_time.hpp"
#include "told.hpp"
#include <cmath>
#include <fade/attention.hpp>
#include <fade/device/tune/background.hpp>
#include <fade/tune.hpp>
#include <limits>
#include <thread>

using namespace fade;
using namespace fade::test;

namespace {

/// Random tensors, and O in f64 by the definition.
struct attended {
    attention_problem problem;
    std::vector<float> q, k, v, o;
    std::vector<double> want;

    explicit attended(const attention_problem& p) : problem(p) {
        std::mt19937 random(drawn_seed());
        const fade::index d = p.head_dim, of_q = p.batch * p.seq_q * p.heads * d,
                          of_k = p.batch * p.seq_k * p.kv_heads * d;
        q = random_numbers(random, of_q), k = random_numbers(random, of_k), v = random_numbers(random, of_k);
        for (fade::index b = 0; b < p.batch; ++b)
            for (fade::index i = 0; i < p.seq_q; ++i)
                for (fade::index h = 0; h < p.heads; ++h) attend(b, i, h);
        poison();
    }
    void attend(fade::index b, fade::index i, fade::index h) {
        const attention_problem& p = problem;
        const fade::index d = p.head_dim, kv = h / (p.heads / p.kv_heads);
        const auto row = [&](const std::vector<float>& of, fade::index at, fade::index heads,
                             fade::index head) { return &of[std::size_t((at * heads + head) * d)]; };
        std::vector<double> out(std::size_t(d), 0);
        double sum = 0;
        for (fade::index j = 0; j < p.seq_k; ++j) {
            double score = 0;
            const float *of_q = row(q, b * p.seq_q + i, p.heads, h),
                        *of_k = row(k, b * p.seq_k + j, p.kv_heads, kv),
                        *of_v = row(v, b * p.seq_k + j, p.kv_heads, kv);
            for (fade::index x = 0; x < d; ++x) score += double(of_q[x]) * double(of_k[x]);
            const double weight = std::exp(score / std::sqrt(double(d)));
            sum += weight;
            for (fade::index x = 0; x < d; ++x) out[std::size_t(x)] += weight * double(of_v[x]);
        }
        for (const double x : out) want.push_back(x / sum);
    }
    void poison() { o.assign(want.size(), std::numeric_limits<float>::quiet_NaN()); }
    attention_operands<float> operands() {
        return {.q = q.data(), .k = k.data(), .v = v.data(), .o = o.data()};
    }
    double error() const {
        double off = 0, size = 0;
        for (std::size_t i = 0; i < o.size(); ++i)
            off += std::pow(double(o[i]) - want[i], 2), size += want[i] * want[i];
        return std::sqrt(off / size);
    }
};

attention_problem of(fade::index queries, fade::index keys) {
    return {.batch = 2, .heads = 4, .kv_heads = 2, .seq_q = queries, .seq_k = keys, .head_dim = 64};
}

/// Bound: f32 scores of 64 products, exponentials and averages of at most 300 values.
constexpr double bound = 1e-5;

}  // namespace

TEST_CASE("the host takes as many queries as the row says, and computes the same") {
    host_device device(2);
    attended a(of(130, 77));
    told rows;
    const attention_options asks{.tuned = &rows};
    const attention_policy model = plan_attention<float>(device, a.problem, a.operands()).policy;
    constexpr int strip = kernel::attention_traits<arch::host, float, tune::host_attention>::strip;
    for (const int queries : {strip, 2 * strip, 5 * strip}) {
        tuned_attention row{model};
        row.policy.wave_queries = queries;
        rows.say(row);
        CHECK(plan_attention<float>(device, a.problem, a.operands(), asks).policy == row.policy);
        a.poison();
        const report said = attention<float>(device, a.problem, a.operands(), asks);
        CHECK(says(said.why, "a test has a row, which decides"));
        CHECK(said.evidence == "tuned: made up");
        CHECK(a.error() < bound);
    }
    CHECK(rows.machine.traits == "2 compute units" + host_traits_in_words());
    CHECK(rows.problem.kind == "attention f32 to f32, split_kv 0");
    CHECK(rows.problem.sizes == std::vector<fade::index>{2, 4, 2, 130, 77, 64, 64});
    a.problem.causal = causal_kind::bottom_right, a.problem.softcap = 3;
    plan_attention<float>(device, a.problem, a.operands(), asks);
    CHECK(rows.problem.kind == "attention f32 to f32, causal bottom-right, softcap, split_kv 0");
}

TEST_CASE("rows that the host has no kernel for are named and not used") {
    host_device device(2);
    attended a(of(130, 77));
    told rows;
    const attention_policy model = plan_attention<float>(device, a.problem, a.operands()).policy;
    const auto refused = [&](const tuned_attention& row, const char* why,
                             tuned_match match = tuned_match::exact) {
        rows.say(row, match);
        const attention_plan plan = plan_attention<float>(device, a.problem, a.operands(), {.tuned = &rows});
        CHECK(says(plan.report.why, std::string("not used: ") + why));
        CHECK(plan.policy == model);
        CHECK(plan.report.evidence != "tuned: made up");
    };
    for (const int queries : {0, 1, 1 << 20}) {
        tuned_attention row{model};
        row.policy.wave_queries = queries;
        refused(row, "the host has no kernel of its policy");
    }
    tuned_attention other{model};
    other.policy.keys += 1;
    refused(other, "the host has no kernel of its policy");
    refused({model, 2}, "the host has no kernel of its policy");
    refused({model}, "shares of queries fit one problem alone", tuned_match::near);
}

TEST_CASE_TEMPLATE("emulated GPUs share keys as the row says, by kernels that the program holds", Device,
                   emulated_device<arch::gfx942>, emulated_device<arch::gfx1100>) {
    using arch = typename Device::arch;
    Device device({.compute_units = 2});
    attended a(of(3, 300));
    told rows;
    const auto plan = [&](int split_kv) {
        return plan_attention<float>(device, a.problem, a.operands(), {.split_kv = split_kv, .tuned = &rows});
    };
    const attention_plan model = plan(0);
    constexpr attention_policy decode = tune::attention_row<arch, float>(64, tune::attention_variant::decode);
    rows.say(tuned_attention{decode, 3});
    CHECK(plan(0).policy == decode);
    CHECK(plan(0).variant == tune::attention_variant::decode);
    CHECK(says(plan(0).report.why, "shared among 3 workgroups"));
    CHECK(plan(0).report.evidence == "tuned: made up");
    a.poison();
    const report said = attention<float>(device, a.problem, a.operands(), {.tuned = &rows});
    CHECK(says(said.why, "a test has a row, which decides"));
    CHECK(a.error() < bound);
    rows.say(tuned_attention{decode, 3}, tuned_match::near);
    CHECK(plan(0).policy == decode);

    tuned_attention unknown{decode, 3};
    unknown.policy.keys += 1;
    rows.say(unknown);
    CHECK(plan(0).policy == model.policy);
    CHECK(plan(0).variant == model.variant);
    CHECK(says(plan(0).report.why, "not used: this program holds no kernel of its policy"));
    for (const int split_kv : {0, 5000}) {
        rows.say(tuned_attention{decode, split_kv});
        CHECK(says(plan(0).report.why, "none of 1 to 4096"));
    }
    rows.say(tuned_attention{decode, 3}, tuned_match::stale);
    CHECK(plan(0).policy == model.policy);
    CHECK(plan(0).report.evidence != "tuned: made up");
}

// An emulated device has no speed, so tune_attention refuses it; what a GPU would time can be run here.
TEST_CASE_TEMPLATE("what is tried on a GPU is what an attention takes, and right", Device,
                   emulated_device<arch::gfx942>, emulated_device<arch::gfx1100>) {
    Device device({.compute_units = 2});
    attended a(of(3, 300));
    const attention_operands<float> memory = a.operands();
    const no_rule plain;
    detail::attention_to_tune<float, float, no_rule, Device> call(device, a.problem, memory, plain);
    const detail::tuned_call tried = call.call();
    const auto all = call.candidates();
    CHECK(all.size() > 2);
    call.at_once = call.rotate(1 << 20, detail::deadline::never());
    CHECK(call.at_once > 1);
    for (const auto& c : all) {
        CHECK(c.policy != tried.model);
        a.poison();
        call.source.policy = c.policy;
        tried.run();
        CHECK(a.error() < bound);  // the call's own memory is the first of the sets
    }
    const scratch_file file;
    tuning_database db({file.path(), {}});
    call.at_once = 1;
    const tuning found = detail::tune_within(device, call, db, std::chrono::seconds(20));
    CHECK((found.kept && found.whole && found.candidates == int(all.size())));
    const report said = plan_attention<float>(device, a.problem, memory, {.tuned = &db}).report;
    CHECK(says(said.why, "has a row of this problem, which decides"));
    CHECK(detail::verify_row(device, call, found.row).obstacle.empty());
}

TEST_CASE("attention without queries, and by a policy that is passed, asks nobody") {
    told rows;
    host_device cpu(1);
    attention_problem none = of(0, 5);
    plan_attention<float>(cpu, none, attention_operands<float>{}, {.tuned = &rows});
    emulated_device<arch::gfx1100> device;
    attended a(of(16, 16));
    constexpr attention_policy passed =
        tune::attention_row<arch::gfx1100, float>(64, tune::attention_variant::plain);
    const report said =
        plan_attention<float, float, with_policy(passed)>(device, a.problem, a.operands(), {.tuned = &rows})
            .report;
    CHECK(says(said.why, "the tuning database is not asked, since the policy was passed"));
    CHECK(rows.calls == 0);
}

TEST_CASE("tuning keeps its budget, and a row only where it won twice") {
    host_device device(1);
    attended a(of(200, 128));
    const scratch_file file;
    tuning_database db({file.path(), {}});
    tuning found;
    // Again, where others keep the processor from it.
    for (double budget = 0.4; found.candidates == 0; budget *= 2) {
        REQUIRE(budget < 100);
        const double begin = processor_seconds();
        found =
            tune_attention<float>(device, a.problem, a.operands(), db, std::chrono::duration<double>(budget));
        CHECK(processor_seconds() - begin < 1.05 * budget + 0.05);
    }
    CHECK(found.model_nanoseconds > 0);
    CHECK(found.candidates > 0);
    CHECK(a.error() < bound);
    const report said = plan_attention<float>(device, a.problem, a.operands(), {.tuned = &db}).report;
    CHECK(says(said.why, "has a row of this problem, which decides") == found.kept);
    tune::tuning_row row = found.row;
    CHECK(verify_attention<float>(device, a.problem, a.operands(), row).obstacle == "");
    row.problem.sizes[0] = 3;
    CHECK(says(verify_attention<float>(device, a.problem, a.operands(), row).obstacle, "and the call is"));
    CHECK_THROWS_AS(tune_attention<float>(device, a.problem, a.operands(), db, std::chrono::seconds(0)),
                    error);
    tune::background tuner({file.path(), {}}, std::chrono::seconds(5));
    CHECK(tuner.attention<float>(a.problem, 1));
    for (int i = 0; i < 12000 && tuner.progress().left > 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK((tuner.progress().done == 1 && tuner.progress().failure.empty()));
    CHECK(tuner.progress().seconds > 0);
}

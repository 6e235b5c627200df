// Heads that share keys in one tile of the decoding kernel: few queries of many heads, with everything that
// may tell heads apart.
#include "common/attention_suite.hpp"
#include "common/some_kernels.hpp"

using namespace fade;
using test::attention_case, test::attention_data;

namespace {

/// Heads of up to 128 dimensions; what is not decoded counts too.
template <class Arch>
using some_kernels = test::some_kernels<Arch, test::attention_kernels{64, 128}>;

constexpr const char* packed = "heads that share keys are rows of one tile";
constexpr const char* apart = "heads that share keys have tiles of their own";

bool says(const report& r, const char* words) { return r.why.find(words) != r.why.npos; }

/// One to sixteen queries of one to nine heads a group, over keys that lie anywhere.
attention_case draw_groups(int max_dim) {
    attention_case c = test::draw_attention(max_dim, *rc::gen::arbitrary<bool>());
    attention_problem& p = c.problem;
    p.heads = p.kv_heads * *rc::gen::inRange(2, 10);
    if (c.lengths_q.empty()) p.seq_q = *rc::gen::inRange(1, 17);
    if (c.lengths_k.empty()) p.seq_k = *rc::gen::inRange(1, 300);
    for (int& n : c.lengths_q) n = std::min(n, 16);
    if (!c.lengths_q.empty()) p.seq_q = *std::max_element(c.lengths_q.begin(), c.lengths_q.end());
    return c;
}

template <class T, class Device>
void groups_are_right(Device& device, int max_dim, int times) {
    test::holds(device.name() + " groups of heads in one tile", times, [&] {
        const attention_case c = draw_groups(max_dim);
        attention_data<T, float> x(c);
        const report r = attention<T, float>(device, x.problem, x.operands(),
                                             {.split_kv = *rc::gen::element(0, 1, 2, 3, 7)});
        const bool decoded = x.problem.seq_q > 0 && x.problem.seq_k > 0,
                   shared = says(r, packed) || says(r, "are queries of one tile");
        test::must_be_right(c,
                            test::wrong_with(x) +
                                (decoded && !shared ? " no tile holds the heads of a group: " + r.why : ""));
    });
}

/// Five queries of twelve heads over three, in one launch of one tile for each of those.
attention_case chunk() {
    return {.problem = {.batch = 2,
                        .heads = 12,
                        .kv_heads = 3,
                        .seq_q = 5,
                        .seq_k = 90,
                        .head_dim = 64,
                        .causal = causal_kind::bottom_right},
            .seed = 3};
}

}  // namespace

TEST_CASE("groups of heads in one tile on gfx942") {
    some_kernels<arch::gfx942> device;
    groups_are_right<bf16>(device, 128, 20);
}
TEST_CASE("groups of heads in one tile on gfx1030") {
    some_kernels<arch::gfx1030> device;
    groups_are_right<f16>(device, 100, 12);
}
TEST_CASE("groups of heads in one tile on gfx1201") {
    some_kernels<arch::gfx1201> device;
    groups_are_right<f16>(device, 128, 12);
}
TEST_CASE("groups of heads in one tile on sm_80") {
    some_kernels<arch::sm_80> device;
    groups_are_right<f16>(device, 128, 12);
}

TEST_CASE("groups of heads in one tile on sm_90a") {
    some_kernels<arch::sm_90a> device;
    groups_are_right<bf16>(device, 128, 12);
}

TEST_CASE("a workgroup takes the queries of all heads of a group, so that keys are read once for them") {
    some_kernels<arch::gfx942> device({.compute_units = 1});
    const attention_case c = chunk();
    attention_data<f16, float> x(c);
    const attention_plan plan = plan_attention<f16, float>(device, x.problem, x.operands());
    CHECK(plan.variant == tune::attention_variant::decode);
    CHECK(says(plan.report, "few queries of heads that share keys are decoded"));
    CHECK(says(plan.report, "the queries of the 4 heads that share keys are rows of one tile"));
    const auto& grid = plan.launches[plan.main_launch].grid;
    CHECK(grid[0] == ceil_div(5 * 4, plan.policy.queries()) * plan.policy.value_parts);
    CHECK(grid[1] == 3);
    CHECK(grid[2] == 2);
    attention<f16, float>(device, x.problem, x.operands());
    CHECK(test::wrong_with(x) == "");
}

TEST_CASE("more than sixteen queries are not decoded for their heads' sake") {
    some_kernels<arch::gfx942> device({.compute_units = 1});
    for (const fade::index queries : {16, 17}) {
        attention_case c = chunk();
        c.problem.seq_q = queries;
        attention_data<f16, float> x(c);
        CHECK((plan_attention<f16, float>(device, x.problem, x.operands()).variant ==
               tune::attention_variant::decode) == (queries == 16));
    }
}

TEST_CASE(
    "heads whose rows of O lie too far apart for one tile have tiles of their own, which the report says") {
    some_kernels<arch::gfx942> device;
    attention_problem p = chunk().problem;
    const fade::index far = fade::index(1) << 28;  // four heads of f32 span 4 GiB
    p.batch = 1, p.o_strides = {0, 64, far};
    const auto at = [](int bit) {
        return reinterpret_cast<f16*>(std::uintptr_t(1) << bit);
    };  // never followed
    const attention_operands<f16, float> o{
        .q = at(45), .k = at(12), .v = at(13), .o = reinterpret_cast<float*>(at(50))};
    const attention_plan plan = plan_attention<f16, float>(device, p, o, {.split_kv = 2});
    CHECK(plan.variant == tune::attention_variant::decode);
    CHECK(says(plan.report, apart));
    CHECK(plan.launches[plan.main_launch].grid[1] == 12);
}

// Appends to caches of keys and values: random ones against f64, and what must hold between them.
#include "common/append_suite.hpp"

using namespace fade;

TEST_CASE("append_kv on the host") {
    host_device device(2);
    test::append_suite<float>(device, 300);
    test::append_suite<f16>(device, 100);
    test::append_suite<bf16>(device, 100);
    test::append_suite<f8e4m3>(device, 100);
    test::append_suite<bf16, f8e5m2>(device, 100);
    test::append_suite<float, f16>(device, 100);
    test::append_suite<f16, f16, f16>(device, 100);
}

TEST_CASE("append_kv on emulated devices") {
    emulated_device<arch::gfx942> cdna;
    emulated_device<arch::gfx1100> rdna3;
    emulated_device<arch::gfx1030> rdna2;
    test::append_suite<f16>(cdna, 100);
    test::append_suite<f8e4m3fnuz>(cdna, 50);
    test::append_suite<bf16, f8e4m3fnuz>(cdna, 50);
    test::append_suite<bf16>(rdna3, 100);
    test::append_suite<bf16, bf16, bf16>(rdna3, 50);
    test::append_suite<float>(rdna2, 100);
}

namespace {

/// Two sequences in pages, all of whose heads turn.
test::append_case paged() {
    return {.problem = {.batch = 2,
                        .heads = 2,
                        .kv_heads = 1,
                        .new_positions = 9,
                        .capacity = 40,
                        .head_dim = 32,
                        .rotary_dim = 32,
                        .page_size = 16},
            .held = {3, 20},
            .seed = 7};
}

/// Keys of one sequence after an append at `held`, from the same inputs.
std::vector<float> keys_at(int held, fade::index rotary_dim) {
    test::append_case c{.problem = {.kv_heads = 2,
                                    .new_positions = 4,
                                    .capacity = 30,
                                    .head_dim = 8,
                                    .rotary_dim = rotary_dim},
                        .held = {held},
                        .seed = 3};
    test::append_data<float> x(c);
    host_device device(1);
    append_kv<float>(device, x.problem, x.operands());
    return {x.cache.begin() + held * 16, x.cache.begin() + (held + 4) * 16};
}

}  // namespace

TEST_CASE("all devices write the same bits") {
    test::append_data<f16> here(paged()), there(paged());
    host_device cpu(2);
    emulated_device<arch::gfx1201> radeon;
    append_kv<f16>(cpu, here.problem, here.operands()),
        append_kv<f16>(radeon, there.problem, there.operands());
    CHECK(std::memcmp(here.cache.data(), there.cache.data(), here.cache.size() * sizeof(f16)) == 0);
    CHECK(std::memcmp(here.rotated.data(), there.rotated.data(), here.rotated.size() * sizeof(f16)) == 0);
}

TEST_CASE("what does not turn is the same at every position, what turns is not") {
    CHECK(keys_at(0, 0) == keys_at(11, 0));
    CHECK(keys_at(0, 4) != keys_at(11, 4));
}

TEST_CASE("more new tokens than new_positions says are not written") {
    test::append_case c = paged();
    c.fresh = {12, 5};
    c.problem.heads = 0;
    host_device device(2);
    CHECK(test::wrong_append<float>(device, c) == "");
}

TEST_CASE("the report names what ran, the plan launches nothing") {
    test::append_data<bf16> x(paged());
    emulated_device<arch::gfx942> device;
    const append_plan plan = plan_append_kv<bf16>(device, x.problem, x.operands());
    CHECK(std::all_of(x.cache.begin(), x.cache.end(), [](bf16 k) { return test::is_poison(k); }));
    REQUIRE(plan.launches.size() == 1);
    CHECK(plan.launches[0].grid[0] == 2);  // 9 positions x 4 heads, by 32
    CHECK(plan.launches[0].grid[2] == 2);
    CHECK(plan.report.requested == "append_kv batch 2, 9 positions x 1 heads and 2 of q, head_dim 32, bf16 "
                                   "to bf16, capacity 40, rotary half of 32, pages of 16");
    CHECK(plan.report.arch == "gfx942");
    const report ran = append_kv<bf16>(device, x.problem, x.operands());
    CHECK(ran.requested == plan.report.requested);
    CHECK(!ran.fallback);
    x.problem.new_positions = 0;
    CHECK(plan_append_kv<bf16>(device, x.problem, x.operands()).launches.empty());
}

// What products with quantised weights refuse: each sentence, and nothing written.
#include "common/refusal.hpp"
#include <fade/weight_gemm.hpp>

namespace fade::test {
namespace {

/// A small call that is right; tests change one thing of it.
template <weight_format Format>
struct weight_call {
    alignas(16) f16 a[64 * 128] = {};
    alignas(16) std::uint32_t words[128 * 16] = {}, zeros[128] = {};
    alignas(16) weight_scale_t<Format> scales[128] = {};
    alignas(16) f16 c[256] = {};
    std::vector<f16> d = std::vector<f16>(256, poison<f16>());
    weight_gemm_problem problem{.m = 16, .n = 16, .k = 128};
    weight_gemm_operands<Format, f16> operands{.a = a,
                                               .weights = words,
                                               .scales = scales,
                                               .zeros = Format.zero == weight_zero::none ? nullptr : zeros,
                                               .c = c,
                                               .d = d.data()};
    weight_gemm_options options;
};

template <weight_format Format, class Spoil>
void refused(Spoil spoil, const std::string& argument, const std::string& value, const std::string& words) {
    const auto on = [&](auto device) {
        weight_call<Format> call;
        spoil(call);
        refusal out;
        try {
            weight_gemm<Format, f16>(device, call.problem, call.operands, {}, call.options);
        } catch (const error& e) {
            out = {e.argument(), e.value(), e.rule(), e.what()};
        }
        for (const f16& x : call.d) out.wrote = out.wrote || !is_poison(x);
        check_refusal(out, argument, value, words);
    };
    on(host_device(1)), on(emulated_device<arch::gfx942>());
}

TEST_CASE("sizes") {
    constexpr weight_format rows{}, gptq = weights::gptq(64);
    refused<rows>([](auto& c) { c.problem.k = 96; }, "k", "96", "come in 128 k at once");
    refused<weights::nvfp4()>([](auto& c) { c.problem.k = 48; }, "k", "48", "come in 32 k at once");
    refused<gptq>([](auto& c) { c.problem.n = 12; }, "n", "12", "columns of 8 at once");
    refused<weights::awq(64)>([](auto& c) { c.problem.n = 12; }, "n", "12", "columns of 8 at once");
    constexpr weight_format any = weights::awq(weights::any_group);
    for (const index group : {index(0), index(8), index(48), index(-2), index(1) << 31})
        refused<any>([&](auto& c) { c.problem.group = group; }, "group", std::to_string(group),
                     "a power of two, at least 16, or -1 for all of k");
    refused<any>([](auto& c) { c.problem.k = 96, c.problem.group = 64; }, "k", "96", "come in 64 k at once");
    refused<any>([](auto& c) { c.problem.k = 48, c.problem.group = -1; }, "k", "48", "come in 32 k at once");
    refused<gptq>([](auto& c) { c.problem.group = 128; }, "group", "128", "it must be 0, or the same");
    refused<gptq>([](auto& c) { c.problem.group = -1; }, "group", "-1", "it must be 0, or the same");
    refused<rows>([](auto& c) { c.problem.m = -1; }, "m", "-1", "between 0 and 2^31 - 1");
    refused<rows>([](auto& c) { c.problem.lda = 130; }, "lda", "130", "a multiple of 8");
    refused<rows>([](auto& c) { c.problem.lda = 64; }, "lda", "64", "has 128 elements");
    refused<rows>([](auto& c) { c.problem.ldd = 8; }, "ldd", "8", "has 16 elements");
    refused<rows>([](auto& c) { c.options.split_k = -1; }, "split_k", "-1", "between 1 and 4096");
}

TEST_CASE("weights beyond the reach of a tile") {
    const auto far = [](int tebibytes) { return std::uintptr_t(tebibytes) << 40; };  // never followed
    weight_call<weight_format{}> call;
    call.problem = {.m = 1, .n = 256, .k = index(1) << 27};
    call.operands.a = reinterpret_cast<const f16*>(far(32));
    call.operands.weights = reinterpret_cast<const std::uint32_t*>(far(33));
    call.operands.scales = reinterpret_cast<const weight_scale_t<weight_format{}>*>(far(34));
    emulated_device<arch::gfx942> device;
    std::string argument;
    try {
        weight_gemm<weight_format{}, f16>(device, call.problem, call.operands);
    } catch (const error& e) {
        argument = e.argument();
        CHECK(e.rule().find("weights that a tile touches") != std::string::npos);
    }
    CHECK(argument == "k");
    call.problem.n = 16, call.problem.k = index(1) << 26;  // fewer columns than a tile has
    CHECK(plan_weight_gemm<weight_format{}, f16>(device, call.problem, call.operands).launches.size() > 0);
}

TEST_CASE("memory") {
    constexpr weight_format rows{}, gptq = weights::gptq(64);
    refused<rows>([](auto& c) { c.operands.a = nullptr; }, "a", "null", "it is read");
    refused<rows>([](auto& c) { c.operands.weights = nullptr; }, "weights", "null", "it is read");
    refused<rows>([](auto& c) { c.operands.scales = nullptr; }, "scales", "null", "it is read");
    refused<gptq>([](auto& c) { c.operands.zeros = nullptr; }, "zeros", "null", "it is read");
    refused<rows>([](auto& c) { c.operands.zeros = c.zeros; }, "zeros", "given", "has none");
    refused<rows>([](auto& c) { c.operands.d = nullptr; }, "d", "null", "needs memory");
    refused<rows>([](auto& c) { c.problem.beta = 1, c.operands.c = nullptr; }, "c", "null", "it is read");
    refused<rows>([](auto& c) { c.operands.a = c.a + 1; }, "a", "2", "aligned runs of 16 bytes");
    refused<rows>([](auto& c) { c.operands.weights = c.words + 1; }, "weights", "4", "aligned runs");
    refused<rows>([](auto& c) { c.operands.scales = c.scales + 1; }, "scales", "2", "aligned runs");
    refused<gptq>([](auto& c) { c.operands.zeros = c.zeros + 2; }, "zeros", "8", "aligned runs");
    refused<rows>([](auto& c) { c.operands.d = c.a; }, "d", "overlapping a", "may not lie in an operand");
    refused<rows>([](auto& c) { c.operands.d = reinterpret_cast<f16*>(c.words); }, "d", "overlapping weights",
                  "may not lie in an operand");
    refused<rows>([](auto& c) { c.operands.d = reinterpret_cast<f16*>(c.scales); }, "d", "overlapping scales",
                  "may not lie in an operand");
    refused<gptq>([](auto& c) { c.operands.d = reinterpret_cast<f16*>(c.zeros); }, "d", "overlapping zeros",
                  "may not lie in an operand");
    refused<rows>([](auto& c) { c.problem.beta = 1, c.operands.c = c.d.data() + 16; }, "d", "overlapping c",
                  "may be c itself");
}

TEST_CASE("a plan is what runs") {
    weight_call<weights::gptq(64)> call;
    call.options.split_k = 2, call.problem.k = 128;
    emulated_device<arch::gfx942> device;
    const weight_gemm_plan plan =
        plan_weight_gemm<weights::gptq(64), f16>(device, call.problem, call.operands, {}, call.options);
    CHECK(is_poison(call.d[0]));
    CHECK(plan.launches.size() == 2);  // a product, and the sum of its parts
    CHECK(plan.workspace_bytes == 16 * 16 * 2 * sizeof(float));
    CHECK(plan.policy.block_tile.m == 64);
    const report said =
        weight_gemm<weights::gptq(64), f16>(device, call.problem, call.operands, {}, call.options);
    CHECK(said.chosen == plan.report.chosen);
    CHECK(said.chosen.find("k shared by 2") != std::string::npos);
    CHECK(said.requested.find("unsigned4 gptq, groups of 64, binary16 scales, packed_less_one zeros") !=
          std::string::npos);
    CHECK(!said.fallback);
    const auto why = [&](int split_k) {
        return plan_weight_gemm<weights::gptq(64), f16>(device, call.problem, call.operands, {},
                                                        {.split_k = split_k})
            .report.why;
    };
    for (const int fits : {0, 1, 2}) CHECK(why(fits).find("too shallow") == std::string::npos);
    CHECK(why(64).find("too shallow for 64") != std::string::npos);
    CHECK(!is_poison(call.d[0]));
}

TEST_CASE("what a call's choice rests on") {
    const auto evidence = [](auto&& device, fade::index m, int split_k) {
        weight_gemm_operands<weights::gptq(), bf16> x{.d = nullptr};
        const auto at = [](int tebibytes) { return std::uintptr_t(tebibytes) << 40; };  // never followed
        x.a = reinterpret_cast<const bf16*>(at(32)), x.d = reinterpret_cast<bf16*>(at(33));
        x.weights = reinterpret_cast<const std::uint32_t*>(at(34));
        x.scales = reinterpret_cast<const f16*>(at(35));
        x.zeros = reinterpret_cast<const std::uint32_t*>(at(36));
        return plan_weight_gemm<weights::gptq(), bf16>(device, {.m = m, .n = 4096, .k = 4096}, x, {},
                                                       {.split_k = split_k})
            .report.evidence;
    };
    emulated_device<arch::sm_90a> h200({.compute_units = 132});
    CHECK(evidence(h200, 16, 0).find("16 rows at 1.63 to 2.25 of its speed") != std::string::npos);
    CHECK(evidence(h200, 16, 2).find("none: ") == 0);
    CHECK(evidence(h200, 65, 0).find("none: ") == 0);
    CHECK(evidence(host_device(1), 16, 0).find("none: ") == 0);
}

TEST_CASE("a D without elements launches nothing") {
    const auto launched = [](auto change) {
        weight_call<weight_format{}> call;
        change(call.problem);
        emulated_device<arch::gfx942> device;
        return plan_weight_gemm<weight_format{}, f16>(device, call.problem, call.operands).launches.size();
    };
    CHECK(launched([](auto& p) { p.m = 0; }) == 0);
    CHECK(launched([](auto& p) { p.n = 0; }) == 0);
    emulated_device<arch::gfx942> device;
    for (const weight_gemm_problem& p :
         {weight_gemm_problem{.m = 0, .n = 16, .k = 128}, weight_gemm_problem{.m = 16, .n = 0, .k = 128}})
        CHECK(plan_weight_gemm<weight_format{}, f16>(device, p, {}).launches.empty());
    CHECK(launched([](auto&) {}) > 0);
}

TEST_CASE("a gate has no C") {
    weight_call<weight_format{}> call;
    call.problem.beta = 1;
    host_device cpu(1);
    CHECK_THROWS_AS((weight_gemm<weight_format{}, f16>(cpu, call.problem, call.operands, swiglu())), error);
}

}  // namespace
}  // namespace fade::test

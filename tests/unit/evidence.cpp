// What reports say is true: each kernel's evidence is its own, and a D without elements has no kernel.
#include <doctest/doctest.h>
#include <fade/gemm.hpp>
#include <set>

using namespace fade;

namespace {

constexpr gemm_layout layouts[] = {gemm_layout::nn, gemm_layout::nt, gemm_layout::tn, gemm_layout::tt};

/// Calls f(arch, type) for each pair that FADE multiplies on AMD GPUs.
template <class F, class... Archs>
void each_pair(arch::arch_list<Archs...>, F f) {
    const auto types = [&]<class Arch, class... In>(Arch a, std::type_identity<In>... t) {
        const auto one = [&]<class T>(std::type_identity<T> in) {
            if constexpr (arch::has_atom<Arch, T>) f(a, in);
        };
        (one(t), ...);
    };
    (types(Archs{}, std::type_identity<f16>{}, std::type_identity<bf16>{}, std::type_identity<f32>{},
           std::type_identity<f64>{}, std::type_identity<i8>{}, std::type_identity<f8e4m3>{},
           std::type_identity<f8e5m2>{}, std::type_identity<f8e4m3fnuz>{}, std::type_identity<f8e5m2fnuz>{}),
     ...);
}

template <class Arch, class In>
std::string evidence_of(gemm_layout layout, bool large) {
    const auto row = tune::gemm_rows<Arch, In>::row;
    return tune::gemm_evidence(Arch::traits.name, dtype_v<In>, layout, operand_access(int(layout)),
                               large ? row.large : row.small);
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

template <class Arch, class In>
gemm_plan planned(gemm_problem p, int compute_units) {
    alignas(16) static In memory[1];  // a plan touches no memory
    emulated_device<Arch> d({.threads = 1, .compute_units = compute_units});
    return plan_gemm<In, In>(d, p, {.a = memory + 64, .b = memory + 128, .d = memory + (1 << 24)});
}

}  // namespace

TEST_CASE("what was audited is a policy of today: a figure goes with its kernel") {
    std::set<const tune::gemm_audit*> known;
    each_pair(arch::amd{}, [&]<class Arch, class In>(Arch, std::type_identity<In>) {
        const auto row = tune::gemm_rows<Arch, In>::row;
        for (const tune::gemm_audit& a : tune::gemm_audits)
            if (a.is_of(Arch::traits.name, dtype_v<In>, row.large) ||
                a.is_of(Arch::traits.name, dtype_v<In>, row.medium) ||
                a.is_of(Arch::traits.name, dtype_v<In>, row.small))
                CHECK(known.insert(&a).second);
    });
    for (const tune::gemm_audit& a : tune::gemm_audits) {
        INFO(a.arch, " ", name(a.in), " ", a.block_tile.m, "x", a.block_tile.n);
        CHECK(known.count(&a) == 1);
        for (const auto f : a.layouts.of) CHECK((0 < f.sim && f.sim <= f.bound && f.bound <= 100));
        int same = 0;
        for (const tune::gemm_audit& b : tune::gemm_audits)
            same += b.arch == a.arch && b.in == a.in && b.block_tile == a.block_tile;
        CHECK(same == 1);
    }
}

TEST_CASE("evidence names its own type and layout, and its own figures, or says that there are none") {
    each_pair(arch::amd{}, [&]<class Arch, class In>(Arch, std::type_identity<In>) {
        for (const gemm_layout layout : layouts)
            for (const bool large : {true, false}) {
                const auto row = tune::gemm_rows<Arch, In>::row;
                std::string want = "none: nobody audited or measured " + std::string(name(dtype_v<In>)) +
                                   " " + name(layout) + " with these tiles on " +
                                   std::string(Arch::traits.name);
                for (const tune::gemm_audit& a : tune::gemm_audits)
                    if (a.arch == Arch::traits.name && a.in == dtype_v<In> &&
                        a.block_tile ==
                            row.of(large ? tune::size_class::large : tune::size_class::small).block_tile) {
                        const auto f = a.layouts.of[int(layout)];
                        want = "static audit of " + std::string(name(dtype_v<In>)) + " " + name(layout) +
                               " with these tiles, clang 22, without an epilogue: bound " +
                               std::to_string(f.bound) + " %, played in order " + std::to_string(f.sim) +
                               " %; no GPU was timed";
                    }
                CHECK(evidence_of<Arch, In>(layout, large) == want);
            }
    });
}

TEST_CASE("nothing inherits: neither another architecture, nor another policy, nor another reading") {
    CHECK(holds(evidence_of<arch::gfx1100, f16>(gemm_layout::nt, true), "static audit of f16 nt"));
    CHECK(evidence_of<arch::gfx1101, f16>(gemm_layout::nt, true) ==
          "none: nobody audited or measured f16 nt with these tiles on gfx1101");
    CHECK(holds(evidence_of<arch::gfx942, bf16>(gemm_layout::nn, true), "static audit of bf16 nn"));
    CHECK(holds(evidence_of<arch::gfx942, f8e5m2fnuz>(gemm_layout::nn, true), "none: "));
    gemm_policy own = tune::gemm_rows<arch::gfx942, f16>::row.large;
    own.waves_per_simd = 1;
    CHECK(
        holds(tune::gemm_evidence("gfx942", dtype::f16, gemm_layout::nt, operand_access::nt, own), "none: "));
    const auto strided = tune::gemm_evidence("gfx942", dtype::f16, gemm_layout::nt, operand_access::strided,
                                             tune::gemm_rows<arch::gfx942, f16>::row.small);
    CHECK(holds(strided, "none: "));
    CHECK(holds(strided, "read element by element"));
}

TEST_CASE("what was measured is a policy of today: a figure goes with the whole policy") {
    const auto rows_of = []<class In>(std::type_identity<In>) { return tune::row_of<arch::sm_90a, In>(); };
    for (const tune::gemm_measurement& m : tune::gemm_measurements) {
        INFO(m.arch, " ", name(m.in), " ", name(m.layout), " ", name(m.access));
        if (m.arch == "host") {
            CHECK(m.policy == gemm_policy{});
            continue;
        }
        CHECK(m.arch == "sm_90a");
        const tune::gemm_row row = m.in == dtype::f32   ? rows_of(std::type_identity<float>{})
                                   : m.in == dtype::f16 ? rows_of(std::type_identity<f16>{})
                                                        : rows_of(std::type_identity<bf16>{});
        using enum tune::size_class;
        const bool strided = m.access == operand_access::strided;
        bool today = false;
        for (const tune::size_class size :
             {large, medium, small, flat, skinny, clustered, flat_clustered, deep})
            today |= (!strided || size < narrow) && m.policy == tune::policy_for(row, size, m.access);
        CHECK(today);
    }
    gemm_policy own = tune::gemm_rows<arch::sm_90a, bf16>::row.large;
    const auto said = [&] {
        return tune::gemm_evidence("sm_90a", dtype::bf16, gemm_layout::nt, operand_access::nt, own);
    };
    CHECK(holds(said(), "measured on an NVIDIA H200"));
    own.swizzle_rows += 1;
    CHECK(holds(said(), "none: "));
}

TEST_CASE("what was measured") {
    CHECK(holds(evidence_of<arch::sm_90a, bf16>(gemm_layout::tn, true), "measured on an NVIDIA H200"));
    CHECK(evidence_of<arch::sm_90a, bf16>(gemm_layout::tn, true) !=
          evidence_of<arch::sm_90a, bf16>(gemm_layout::nt, true));
    CHECK(holds(evidence_of<arch::sm_80, bf16>(gemm_layout::nt, true), "none: "));
    host_device d;
    alignas(64) float memory[16] = {};
    gemm_problem p{.m = 2, .n = 2, .k = 2};
    const gemm_operands<float> x{.a = memory, .b = memory + 4, .d = memory + 8};
    CHECK(holds(gemm<float>(d, p, x).evidence, "measured on an AMD EPYC"));
    p.layout = gemm_layout::tn;
    CHECK(gemm<float>(d, p, x).evidence ==
          "none: nobody audited or measured f32 tn with these tiles on host");
}

TEST_CASE("the report of a call holds its kernel's evidence") {
    const gemm_problem p{.m = 2048, .n = 2048, .k = 64, .layout = gemm_layout::nn};
    CHECK(planned<arch::gfx942, bf16>(p, 1).report.evidence ==
          evidence_of<arch::gfx942, bf16>(p.layout, true));
    CHECK(planned<arch::gfx942, bf16>(p, 1 << 20).report.evidence ==
          evidence_of<arch::gfx942, bf16>(p.layout, false));
}

TEST_CASE("why says what the busiest compute unit makes, and what else was expected to take") {
    const auto why = [](fade::index size, int compute_units) {
        return planned<arch::gfx942, f16>({.m = size, .n = size, .k = 64, .layout = gemm_layout::nt},
                                          compute_units)
            .report.why;
    };
    CHECK(why(4096, 304) == "operands are read in 16-byte runs; of 256 tiles of 256x256 the busiest of 304 "
                            "compute units makes 1, in 1.00 of the time expected of 128x128, 0.73 of 64x64");
    CHECK(why(4096, 64) == "operands are read in 16-byte runs; of 256 tiles of 256x256 the busiest of 64 "
                           "compute units makes 4, in 1.00 of the time expected of 128x128, 0.64 of 64x64");
    CHECK(why(1024, 304) == "operands are read in 16-byte runs; of 256 tiles of 64x64 the busiest of 304 "
                            "compute units makes 1, in 0.10 of the time expected of 256x256, 0.39 of "
                            "128x128");
    CHECK(holds(why(64, 304), "; of 1 tile of 64x64 the busiest of 304 compute units makes 1, "));
}

TEST_CASE("a D without elements launches nothing, and says so") {
    for (const gemm_problem& p : {gemm_problem{.m = 0, .n = 64, .k = 64},
                                  {.m = 64, .n = 0, .k = 64},
                                  {.m = 64, .n = 64, .k = 64, .batch = 0}}) {
        const gemm_plan plan = planned<arch::gfx942, f16>(p, 64);
        CHECK(plan.launches.empty());
        CHECK(plan.workspace_bytes == 0);
        CHECK(plan.report.chosen == "nothing");
        CHECK(plan.report.why == "D has no elements, so nothing is launched");
        CHECK(plan.report.evidence == "none is needed");
    }
    emulated_device<arch::gfx942> d({.threads = 1});
    const f16 odd[9] = {};  // would be read element by element, which strict mode refuses
    const gemm_problem p{.m = 0, .n = 3, .k = 3};
    CHECK(!plan_gemm<f16>(d, p, {.a = odd, .b = odd, .d = nullptr}, epilogue::none{}, {.strict = true})
               .report.fallback);
}

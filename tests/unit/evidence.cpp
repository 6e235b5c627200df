// What reports say is true: each kernel's evidence is its own, and a D without elements has no kernel.
#include <doctest/doctest.h>
#include <fade/gemm.hpp>
#include <fade/tune/grouped/evidence.hpp>
#include <fade/tune/weights/entry.hpp>
#include <fade/tune/weights/evidence.hpp>
#include <fade/tune/weights/select.hpp>
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
    own = tune::gemm_rows<arch::gfx942, f16>::row.large, own.schedule = gemm_schedule::stream_k;
    CHECK(tune::gemm_evidence("gfx942", dtype::f16, gemm_layout::nt, operand_access::nt, own) ==
          "none: nobody audited or measured f16 nt with these tiles, the last ones shared, on gfx942");
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
        for (const tune::size_class size : {large, medium, small, flat, skinny, clustered, flat_clustered,
                                            deep, quad, flat_quad, tiny, tall})
            today |= (!strided || size < narrow) &&
                     tune::kernel_of(m.policy) == tune::policy_for(row, size, m.access);
        CHECK(today);
    }
    gemm_policy own = tune::gemm_rows<arch::sm_90a, bf16>::row.large;
    const auto said = [&] {
        return tune::gemm_evidence("sm_90a", dtype::bf16, gemm_layout::nt, operand_access::nt, own);
    };
    CHECK(holds(said(), "measured on an NVIDIA H200"));
    const std::string whole = said();
    own.schedule = gemm_schedule::stream_k;  // the same kernel, with a second launch
    CHECK((holds(said(), "measured on an NVIDIA H200") && said() != whole));
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

TEST_CASE("a kernel without figures whose times are expected says of what they are") {
    const tune::gemm_row row = tune::row_of<arch::sm_90a, bf16>();
    const auto said = [&](dtype in, const gemm_policy& policy, const char* arch = "sm_90a") {
        return tune::gemm_evidence(arch, in, gemm_layout::nt, operand_access::nt, policy);
    };
    for (const gemm_policy& of : {row.medium, row.deep}) {
        CHECK(holds(said(dtype::bf16, of), "of cublasLt's speed at "));
        CHECK(said(dtype::f16, of) ==
              "none: nobody audited or measured f16 nt with these tiles on sm_90a; times "
              "expected of them are those of bf16");
        CHECK(said(dtype::f16, of, "sm_80") ==
              "none: nobody audited or measured f16 nt with these tiles on sm_80");
    }
}

template <weight_format Format>
constexpr bool has_weight_tiles(const tile_shape& tile) {
    if (tile == tune::skinny_weight_policy<arch::sm_90a, bf16, Format>().block_tile) return true;
    for (const int rows : {8, 16, 32, 64})
        for (const bool wide : {false, true})
            if (tune::stream_weight_policy<arch::sm_90a, bf16, Format>(rows, wide).block_tile == tile)
                return true;
    return false;
}

TEST_CASE("quantised weights: what was measured is a policy of today, and speaks for nothing else") {
    using namespace weights;
    for (const tune::weight_measurement& of : tune::weight_measurements) {
        INFO(of.words);
        const bool gptqs = of.format == gptq(), awqs = of.format == awq();
        CHECK((gptqs  ? has_weight_tiles<gptq()>(of.block_tile)
               : awqs ? has_weight_tiles<awq()>(of.block_tile)
                      : has_weight_tiles<mxfp4()>(of.block_tile)));
    }
    const auto said = [](const weight_format& format, const gemm_policy& policy, fade::index m,
                         fade::index n = 4096, dtype in = dtype::bf16, bool asks = false,
                         const char* arch = "sm_90a") {
        return tune::weight_evidence(arch, format, in, dtype::bf16, policy, m, n, asks);
    };
    constexpr gemm_policy eight = tune::stream_weight_policy<arch::sm_90a, bf16, gptq()>(8),
                          half = tune::stream_weight_policy<arch::sm_90a, bf16, awq()>(32);
    CHECK(said(gptq(), eight, 8) == "measured on an NVIDIA H200, 2026-11-28, beside gemm of bf16: 1 and 8 "
                                    "rows at 1.84 to 2.74 of its speed");
    CHECK(holds(said(awq(), half, 32), "32 rows at 1.11 to 1.40"));
    const std::string none = "none: nobody measured products with quantised weights like these on ";
    CHECK(said(gptq(64), eight, 8) == none + "sm_90a");
    CHECK(said(gptq(), eight, 8, 4096, dtype::f16) == none + "sm_90a");
    CHECK(said(gptq(), eight, 8, 4096, dtype::bf16, true) == none + "sm_90a");
    CHECK(said(gptq(), eight, 8, 4096, dtype::bf16, false, "gfx942") == none + "gfx942");
    CHECK(said(awq(), half, 32, 4104) == none + "sm_90a");
    CHECK(said(awq(), half, 50) == none + "sm_90a");  // two tiles
    CHECK(said(awq(), tune::stream_weight_policy<arch::sm_90a, bf16, awq()>(16, true), 16) ==
          none + "sm_90a");
}

TEST_CASE(
    "two tiles of packed weights are no tile of as many rows, and asked parts are those of wide tiles") {
    using namespace weights;
    const auto of = [](bool wide) {
        const auto policy = [](int rows, bool w) {
            return tune::stream_weight_policy<arch::sm_90a, bf16, awq()>(rows, w);
        };
        tune::weight_policies all{{}, policy(8, false), policy(16, false), policy(32, false), {}, {}};
        if (wide) all.wide[0] = policy(8, true);
        return all;
    };
    const gemm_problem p = kernel::checked(gemm_problem{.m = 50, .n = 4096, .k = 4096});
    CHECK(tune::select_weights(of(false), p, 0, 132).why ==
          "weights become numbers on their way to the operands; 50 rows are two tiles of at most 32: B "
          "streams past "
          "each through 64 workgroups");
    CHECK(holds(
        tune::select_weights(of(false), kernel::checked(gemm_problem{.m = 30, .n = 4096, .k = 4096}), 0, 132)
            .why,
        "30 rows are at most 32"));
    int differ = 0;
    for (fade::index n = 256; n <= 16384; n += 256) {
        const gemm_problem one = kernel::checked(gemm_problem{.m = 8, .n = n, .k = 4096});
        const auto cost = [&](const gemm_policy& t) {
            return ceil_div<fade::index>(tune::tiles_of(t, one), 132) * t.block_tile.n;
        };
        const tune::weight_policies all = of(true);
        CHECK(tune::select_weights(all, one, 1, 132).wide ==
              (0.85 * double(cost(all.wide[0])) <= double(cost(all.skinny))));
        differ += tune::select_weights(all, one, 1, 132).wide != tune::select_weights(all, one, 0, 132).wide;
    }
    CHECK(differ > 0);
}

// (bench/experiments.md)
TEST_CASE("packed weights are the matrix unit's rows where that was faster, by as many workgroups") {
    using enum tune::size_class;
    const auto chosen = [](fade::index m, fade::index n) {
        const auto policy = [](tune::size_class size, bool wide) {
            return tune::weight_policy_of<arch::sm_90a, bf16, weights::gptq()>(size, wide);
        };
        const tune::weight_policies all{
            policy(large, false),  policy(skinny, false), policy(narrow, false),
            policy(medium, false), policy(flat, false),   {{}, {}, policy(medium, true), policy(flat, true)}};
        const gemm_problem p = kernel::checked(gemm_problem{.m = m, .n = n, .k = 8192});
        const tune::weight_choice found = tune::select_weights(all, p, 0, 132);
        const gemm_policy of = policy(found.size, found.wide);
        const bool by_unit = of.pipeline == block::pipeline_kind::unit_ring;
        return by_unit ? tune::parts_of_stream(of, p, 0, 132).ranks : 0;
    };
    CHECK(chosen(64, 4096) == 0);
    CHECK(chosen(64, 8192) == 3);
    CHECK(chosen(64, 10240) == 2);
    CHECK(chosen(64, 28672) == 1);
    CHECK(chosen(32, 8192) == 0);
    CHECK(chosen(32, 14336) == 2);
    CHECK(chosen(32, 28672) == 1);
}

TEST_CASE("groups: figures are those of their types and sizes, and others were checked, or are none") {
    using namespace weights;
    using enum tune::size_class;
    const auto along = [](dtype in, dtype out, tune::size_class size, const char* arch = "sm_90a") {
        return tune::grouped_k_evidence(arch, in, out, operand_access::tn, size);
    };
    const std::string checked =
        "checked on an NVIDIA H200, 2026-11-28, beside sums in f64; nobody timed this kernel";
    CHECK(along(dtype::bf16, dtype::bf16, large) ==
          "measured on an NVIDIA H200, 2026-11-28, 64 groups of 32768 rows by chance, 2048 x 1536: 1.16 of "
          "torch._grouped_mm's (of bf16) speed");
    CHECK(holds(along(dtype::bf16, dtype::f32, large), "0.97 of torch._grouped_mm's"));
    CHECK(tune::grouped_k_evidence("sm_90a", dtype::f16, dtype::f32, operand_access::strided, small) ==
          checked);
    CHECK(along(dtype::f16, dtype::f16, large) == checked);
    CHECK(along(dtype::f64, dtype::f64, small) == checked);
    const std::string none = "none: nobody measured products of groups along k like these on ";
    CHECK(along(dtype::f64, dtype::f64, large) == none + "sm_90a");
    CHECK(along(dtype::i8, dtype::i32, small) == none + "sm_90a");
    CHECK(along(dtype::bf16, dtype::bf16, large, "gfx942") == none + "gfx942");
    const auto experts = [](const weight_format& format, dtype in, tune::size_class size,
                            fade::index group = 0, bool list = false, const char* arch = "sm_90a") {
        return tune::grouped_weight_evidence(arch, format, group, in, in, size, list);
    };
    CHECK(holds(experts(gptq(), dtype::bf16, large), "64 groups of 32768 rows by chance, 2048 x 1536: 0.42"));
    CHECK(holds(experts(mxfp4(), dtype::bf16, small), "64 groups of 512 rows by chance, 2048 x 1536: 0.68"));
    CHECK(experts(awq(), dtype::bf16, large, 0, true) == checked);
    CHECK(experts(awq(any_group), dtype::f16, small, 32) == checked);
    const std::string other = "none: nobody measured groups with quantised weights like these on ";
    CHECK(experts(awq(any_group), dtype::f16, small, 64) == other + "sm_90a");
    CHECK(experts(nvfp4(), dtype::f16, large) == other + "sm_90a");
    CHECK(experts(gptq(), dtype::bf16, large, 0, false, "sm_80") == other + "sm_80");
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

// What reports of attention say is true: each kernel's evidence is its own, or there is none.
#include <doctest/doctest.h>
#include <fade/attention.hpp>
#include <string>

using namespace fade;
using tune::attention_variant;

namespace {

constexpr attention_variant variants[] = {attention_variant::plain, attention_variant::tma,
                                          attention_variant::general, attention_variant::decode};

template <class Arch, class In>
std::string evidence_of(attention_variant variant, int head_class) {
    return tune::attention_evidence(Arch::traits.name, dtype_v<In>, variant, head_class,
                                    tune::attention_row<Arch, In>(head_class, variant));
}

/// Is a row of evidence about a policy of today?
template <class Row, class... Archs>
bool is_of_today(const Row& row, arch::arch_list<Archs...>) {
    const auto one = [&]<class Arch, class In>(Arch, std::type_identity<In>) {
        return row.arch == Arch::traits.name && row.in == dtype_v<In> &&
               tune::attention_row<Arch, In>(row.head_class, row.variant) == row.policy;
    };
    const auto types = [&]<class Arch>(Arch a) {
        return one(a, std::type_identity<f16>{}) || one(a, std::type_identity<bf16>{}) ||
               one(a, std::type_identity<float>{}) || one(a, std::type_identity<f8e4m3>{});
    };
    return (types(Archs{}) || ...);
}

bool begins(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

}  // namespace

TEST_CASE("what was audited of attention is a policy of today, and stands there once") {
    for (const tune::attention_audit& a : tune::attention_audits) {
        INFO(a.arch, " ", name(a.in), " ", tune::name(a.variant), " ", a.head_class);
        CHECK(is_of_today(a, arch::amd{}));
        CHECK((0 <= a.figure.sim && a.figure.sim <= a.figure.bound && a.figure.bound <= 100));
        int same = 0;
        for (const tune::attention_audit& b : tune::attention_audits)
            same += tune::speaks_for(b, a.arch, a.in, a.variant, a.head_class, a.policy);
        CHECK(same == 1);
    }
}

TEST_CASE("what was measured of attention is a policy of today, and stands there once") {
    for (const tune::attention_measurement& a : tune::attention_measurements) {
        INFO(a.arch, " ", name(a.in), " ", tune::name(a.variant), " ", a.head_class);
        CHECK((a.arch == "host" || is_of_today(a, arch::arch_list<arch::sm_90a>{})));
        int same = 0;
        for (const tune::attention_measurement& b : tune::attention_measurements)
            same += tune::speaks_for(b, a.arch, a.in, a.variant, a.head_class, a.policy);
        CHECK(same == 1);
    }
}

TEST_CASE("evidence of attention names its own kernel and figures") {
    for (const attention_variant variant : variants)
        for (const int head_class : {64, 128, 256, 512}) {
            const attention_policy policy = tune::attention_row<arch::gfx942, f16>(head_class, variant);
            if (policy.waves == 0) continue;
            std::string want = "none: nobody audited or measured f16 attention_" +
                               std::string(tune::name(variant)) + "_d" + std::to_string(head_class) +
                               " with these tiles on gfx942";
            for (const tune::attention_audit& a : tune::attention_audits)
                if (a.arch == "gfx942" && a.in == dtype::f16 && a.variant == variant &&
                    a.head_class == head_class)
                    want = "static audit of f16 attention_" + std::string(tune::name(variant)) + "_d" +
                           std::to_string(head_class) + " with these tiles, clang 22: " +
                           (a.figure.bound ? "bound " + std::to_string(a.figure.bound) +
                                                 " %, played in order " + std::to_string(a.figure.sim) + " %"
                                           : "neither spills nor scratch") +
                           "; no GPU was timed";
            CHECK(evidence_of<arch::gfx942, f16>(variant, head_class) == want);
        }
}

TEST_CASE("nothing of attention inherits: neither an architecture, nor a type, nor a policy") {
    CHECK(begins(evidence_of<arch::gfx1100, f16>(attention_variant::plain, 128), "static audit of f16 "));
    CHECK(begins(evidence_of<arch::gfx1101, f16>(attention_variant::plain, 128), "none: "));
    CHECK(begins(evidence_of<arch::gfx1150, f16>(attention_variant::plain, 64), "none: "));
    CHECK(begins(evidence_of<arch::gfx1250, f16>(attention_variant::general, 64), "none: "));
    CHECK(begins(evidence_of<arch::gfx942, f8e5m2fnuz>(attention_variant::plain, 128), "none: "));
    CHECK(begins(evidence_of<arch::sm_90a, bf16>(attention_variant::tma, 128), "measured on an NVIDIA H200"));
    CHECK(begins(evidence_of<arch::sm_90a, bf16>(attention_variant::general, 128), "none: "));
    CHECK(begins(evidence_of<arch::sm_90a, f16>(attention_variant::tma, 128), "none: "));
    CHECK(begins(evidence_of<arch::sm_80, bf16>(attention_variant::plain, 128), "none: "));
    attention_policy own = tune::attention_row<arch::gfx1100, f16>(128, attention_variant::plain);
    own.waves_per_simd = 3;
    CHECK(begins(tune::attention_evidence("gfx1100", dtype::f16, attention_variant::plain, 128, own),
                 "none: "));
}

TEST_CASE("the report of an attention holds its kernel's evidence") {
    alignas(16) f16 memory[64];  // a plan touches no memory
    emulated_device<arch::gfx1100> device({.threads = 1});
    const attention_problem p{.heads = 4, .seq_q = 512, .seq_k = 512, .head_dim = 64};
    const attention_operands<f16> x{.q = memory, .k = memory + 8, .v = memory + 16, .o = memory + (1 << 20)};
    const attention_plan plan = plan_attention<f16>(device, p, x);
    CHECK(plan.report.evidence == evidence_of<arch::gfx1100, f16>(plan.variant, 64));
}

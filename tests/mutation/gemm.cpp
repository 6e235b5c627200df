// Fails when a kernel is wrong: emulated products at the edges of every kind of kernel. Exit 1 at the first
// that is.
#include "common/gemm_edges.hpp"
#include "common/gemm_policy.hpp"
#include <cstdio>

using namespace fade;

namespace {

int failures = 0;

template <class Arch, class T, gemm_kernels Kernels>
void check(const test::gemm_case& c) {
    if (failures) return;
    std::string wrong;
    try {
        wrong = test::check_gemm<Arch, T, T, Kernels>(c);
    } catch (const std::exception& e) {
        wrong = e.what();
    }
    if (wrong.empty()) return;
    ++failures;
    std::printf("%s: %s\n", std::string(Arch::traits.name).c_str(), wrong.substr(0, 200).c_str());
}

template <class Arch, class T, gemm_kernels Kernels>
void check_edges(test::kernel_choice kernel) {
    for (const auto& e : test::edges_of(test::policy_of<Arch, T>(kernel)))
        check<Arch, T, Kernels>(test::case_of(kernel, e, 11));
}

/// Everything that a call may ask for at once: scalars, batches, shared k.
template <class Arch, gemm_kernels Kernels>
void check_features(gemm_layout layout) {
    auto c = test::case_of({layout, false, true}, {136, 72, 200}, 5);
    c.problem.alpha = -1.5, c.problem.beta = 0.75;
    check<Arch, f16, Kernels>(c);
    c.problem.batch = 3;
    check<Arch, f16, Kernels>(c);
    c.split_k = 2, c.in_place = true;  // each element is finished once
    check<Arch, f16, Kernels>(c);
    c.problem.beta = 0, c.in_place = false;
    check<Arch, f16, Kernels>(c);
    c.split_k = 3, c.problem.k = 8;
    check<Arch, f16, Kernels>(c);
    c = test::case_of({layout, false, true}, {136, 72, 11 * 64}, 5);
    c.split_k = 11;  // more parts than are loaded at once
    check<Arch, f16, Kernels>(c);
}

/// The swizzle spares bank conflicts, which change no result.
template <class Arch>
void check_conflicts() {
    emulated_device<Arch> d({.threads = 1, .count_bank_conflicts = true, .compute_units = 1});
    const std::vector<f16> a(64 * 64), b(64 * 64);
    std::vector<f16> out(64 * 64);
    gemm<f16, f16, only(operand_access::nt, operand_access::tn)>(
        d, {.m = 64, .n = 64, .k = 64, .layout = gemm_layout::nt},
        {.a = a.data(), .b = b.data(), .d = out.data()});
    if (d.monitor().conflict_cycles() && !failures++) std::printf("bank conflicts\n");
}

/// Whole tiles and shared ones of a batch, where neither rows nor columns of the last tiles are all there.
template <class Arch>
void check_streams() {
    constexpr gemm_policy streams{
        .block_tile = {64, 64, 32}, .wave_tile = {32, 32}, .schedule = gemm_schedule::stream_k};
    for (const int compute_units : {4, 5, 24}) {
        auto c = test::case_of({gemm_layout::nt, false, true}, {136, 72, 200}, 5);
        c.problem.batch = 3, c.problem.beta = 0.75, c.compute_units = compute_units;
        c.in_place = compute_units == 4;  // each element is finished once
        check<Arch, f16, with_policy(streams, only(operand_access::nt))>(c);
    }
}

template <class Arch, gemm_policy Policy>
void check_policy(const char* what) {
    for (const auto& c : test::policy_cases(Policy.block_tile, 7)) {
        const std::string wrong = failures ? "" : test::wrong_policy<Arch, f16, Policy>(c);
        if (!wrong.empty() && !failures++) std::printf("%s: %s\n", what, wrong.substr(0, 200).c_str());
    }
}

}  // namespace

int main() {
    using enum gemm_layout;
    constexpr auto runs = only(operand_access::nt, operand_access::tn), rows = only(operand_access::tn);
    check_edges<arch::gfx942, f16, runs>({nt, true, true});
    check_edges<arch::gfx942, f16, runs>({nt, false, true});
    check_edges<arch::gfx942, f16, runs>({tn, false, true});
    check_features<arch::gfx942, runs>(nt);
    check_streams<arch::gfx942>();
    if (const std::string wrong = test::wrong_share<arch::gfx942, f16, runs>(); !wrong.empty() && !failures++)
        std::printf("%s\n", wrong.c_str());
    check_edges<arch::gfx942, f32, rows>({tn, false, true});
    check_edges<arch::gfx1030, f16, only(operand_access::strided)>({nn, false, false});
    check<arch::gfx1030, f16, only(operand_access::strided)>(
        test::case_of({nn, false, false}, {40, 24, 0}, 4));
    if (!failures) check_conflicts<arch::gfx942>();
    using cdna = arch::gfx942;
    using enum block::pipeline_kind;
    check_policy<cdna, test::piped<cdna, f16>(single_buffer)>("single_buffer");
    check_policy<cdna, test::piped<cdna, f16>(double_buffer)>("double_buffer");
    check_policy<cdna, test::piped<cdna, f16>(read_ahead)>("read_ahead");
    check_policy<cdna, gemm_policy{.block_tile = {96, 32, 64}, .wave_tile = {32, 32}}>(
        "three waves");  // some lanes have no work
    check_policy<cdna, gemm_policy{.block_tile = {32, 128, 64}, .wave_tile = {32, 32}}>("wide tiles");
    return failures != 0;
}

// Every call says what it did. Strict mode turns a fallback into an error, and what cannot be is refused in
// one sentence.
#include <cstdio>
#include <fade/gemm.hpp>
#include <string>
#include <vector>

namespace {

void print(const fade::report& r) {
    std::printf("requested %s\nchosen    %s on %s (%s)\nbecause   %s\nevidence  %s\nfallback  %s\n\n",
                r.requested.c_str(), r.chosen.c_str(), r.device.c_str(), r.arch.c_str(), r.why.c_str(),
                r.evidence.c_str(), r.fallback ? "yes" : "no");
}

/// Runs f, which must be refused because of `argument`, with nothing written to d.
template <class F>
bool refused(const std::string& argument, const std::vector<fade::f16>& d, F f) {
    try {
        f();
    } catch (const fade::error& e) {
        std::printf("refused   %s\n", e.what());
        for (const fade::f16 x : d)
            if (x.bits != 0x7e00) return false;
        return e.argument() == argument;
    }
    return false;
}

}  // namespace

int main() {
    // Nothing is launched by plan_gemm: it says what gemm would do, on any architecture of the list.
    const fade::index size = 100;
    std::vector<fade::f16> a(size * size, fade::to_f16(1)), b = a, d(size * size, fade::f16{0x7e00});
    const fade::gemm_problem whole_runs{.m = 96, .n = 96, .k = 96, .layout = fade::gemm_layout::nt};
    const fade::gemm_problem odd{.m = 97, .n = 97, .k = 97, .layout = fade::gemm_layout::nt};
    const fade::gemm_operands<fade::f16> operands{.a = a.data(), .b = b.data(), .d = d.data()};
    constexpr fade::gemm_kernels kernels =
        fade::only(fade::operand_access::nt, fade::operand_access::strided);
    auto call = [&](auto& device, const fade::gemm_problem& p, const fade::gemm_operands<fade::f16>& o,
                    bool strict) {
        return fade::gemm<fade::f16, fade::f16, kernels>(device, p, o, {}, {.strict = strict});
    };

    fade::emulated_device<fade::arch::gfx942> mi300;
    const fade::gemm_plan plan = fade::plan_gemm<fade::f16, fade::f16, kernels>(mi300, whole_runs, operands);
    print(plan.report);
    std::printf("It would launch %d workgroups of %d threads; tiles of %d x %d x %d.\n\n",
                plan.launches.front().grid[0], plan.launches.front().block[0], plan.policy.block_tile.m,
                plan.policy.block_tile.n, plan.policy.block_tile.k);

    // 97 f16 are no whole number of 16-byte runs: FADE still multiplies, slower, and says so. Strict mode
    // refuses.
    bool good = !plan.report.fallback;
    good = refused("strict", d, [&] { call(mi300, odd, operands, true); }) && good;

    // Nothing is written by a call that is refused.
    good = refused("lda", d, [&] { call(mi300, {.m = 8, .n = 8, .k = 16, .lda = 15}, operands, false); }) &&
           good;
    good = refused("m", d, [&] { call(mi300, {.m = -1, .n = 8, .k = 8}, operands, false); }) && good;
    good = refused("a", d, [&] { call(mi300, whole_runs, {.b = b.data(), .d = d.data()}, false); }) && good;
    good = refused("d", d,
                   [&] { call(mi300, whole_runs, {.a = d.data(), .b = b.data(), .d = d.data()}, false); }) &&
           good;

    // Without strict mode the fallback runs, and its report tells.
    std::printf("\n");
    const fade::report slow = call(mi300, odd, operands, false);
    print(slow);
    return good && slow.fallback && fade::to_f32(d[0]) == 97 ? 0 : 1;
}

// Properties over every product of the table: twice is once, order does not matter, more sources never spoil
// a right value.
#include "device/machines.hpp"
#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <fade/device.hpp>

using namespace fade::truth;

namespace {

constexpr unsigned all_sources = 1u << std::size(machines::sources);

readings subset(const machines::truth_of& t, unsigned mask) {
    readings r;
    for (unsigned i = 0; i < std::size(machines::sources); ++i)
        if (mask >> i & 1) machines::sources[i](r, t);
    return r;
}

bool same(const fade::device_traits& a, const fade::device_traits& b) {
    std::vector<std::string> x, y;
    const auto words = [](std::vector<std::string>& to) {
        return [&to](const char* name, const auto& f) {
            to.push_back(std::string(name) + (f.value ? "+" : "-") + f.source + f.why);
        };
    };
    each_trait(a, words(x)), each_trait(b, words(y));
    return x == y && a.cu_count.value == b.cu_count.value && a.l2_bytes_total.value == b.l2_bytes_total.value;
}

void not_wrong(const fade::device_traits& t, const machines::truth_of& m, unsigned mask) {
    CAPTURE(m.p->name);
    CAPTURE(mask);
    if (t.gfx) CHECK(*t.gfx == m.die().gfx);
    if (t.cu_count) CHECK(*t.cu_count == m.p->cus);
    if (t.xcc_count) CHECK(*t.xcc_count == m.p->xccs);
    if (t.wavefront_native) CHECK(*t.wavefront_native == m.arch().wave());
    if (t.vgpr_bytes_per_simd) CHECK(*t.vgpr_bytes_per_simd == m.arch().vgpr_kib_per_simd * 1024);
    if (t.shader_engines && m.die().engines && m.p->engines_known)
        CHECK(*t.shader_engines == m.die().engines * m.p->xccs);
    if (t.l2_bytes_total && m.die().l2_kib && !m.p->l2_kib)
        CHECK(*t.l2_bytes_total == std::uint64_t(m.die().l2_kib) * 1024 * m.p->xccs);
}

}  // namespace

TEST_CASE("no subset of sources makes a value wrong, whatever they misreport") {
    for (const auto& m : machines::all())
        for (unsigned mask = 1; mask < all_sources; ++mask)
            not_wrong(fade::describe(subset(m, mask)).traits, m, mask);
}

TEST_CASE("with the kernel's topology every count is known") {
    for (const auto& m : machines::all()) {
        const auto t = fade::describe(subset(m, all_sources - 1)).traits;
        CAPTURE(m.p->name);
        CHECK(t.gfx);
        CHECK(t.cu_count);
        CHECK(t.lds_per_workgroup_bytes);
    }
}

TEST_CASE("correcting a corrected device changes nothing") {
    for (const auto& m : machines::all()) {
        const readings r = subset(m, all_sources - 1);
        const auto once = fade::describe(r).traits;
        CHECK(same(once, fade::describe(r).traits));
        readings again = r;  // a runtime that was corrected: it counts CUs and says so by its threads
        again.runtime.multiprocessors = once.cu_count.value,
        again.runtime.l2_bytes = once.l2_bytes_total.value;
        again.runtime.threads_per_multiprocessor =
            m.arch().simd_per_cu * m.arch().waves_per_simd * m.arch().wave();
        CHECK(*fade::describe(again).traits.cu_count == *once.cu_count);
        readings alone;
        alone.runtime = again.runtime;
        if (const auto t = fade::describe(alone).traits; t.cu_count) CHECK(*t.cu_count == *once.cu_count);
    }
}

TEST_CASE("the order in which sources answer does not matter") {
    std::array<unsigned, std::size(machines::sources)> order{0, 1, 2, 3, 4};
    const auto m = machines::all().front();
    const auto reference = fade::describe(subset(m, all_sources - 1)).traits;
    do {
        readings r;
        for (unsigned i : order) machines::sources[i](r, m);
        CHECK(same(reference, fade::describe(r).traits));
    } while (std::ranges::next_permutation(order).found);
}

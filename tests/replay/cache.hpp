// What a cache of keys and values is filled by, captured as launches on an architecture would be: appends and
// quantisations.
#pragma once
#include "capture.hpp"
#include "common/append_reference.hpp"
#include "common/quantize_case.hpp"
#include "launched.hpp"
#include <type_traits>

namespace fade::replay {

/// The replayer finds pointers among captured arguments by their values, so there may be no bytes that nobody
/// wrote.
template <class Arguments>
inline constexpr bool all_written = std::has_unique_object_representations_v<Arguments>;

template <class T>
std::vector<double> values_of(const std::vector<T>& all) {
    std::vector<double> out;
    for (const T& x : all) out.push_back(test::value_of(x));
    return out;
}

/// A buffer that an append writes, and what it must hold then: NaN where the poison of before must stay.
template <class T>
void keep_appended(capture& to, const std::string& name, const std::vector<T>& now,
                   const test::expected_buffer<T>& want, double bound) {
    if (now.empty()) return;
    keep(to, name, now, "inout");
    std::vector<double> values = values_of(want.before);
    for (const auto& write : want.writes) values[std::size_t(write.at)] = write.value;
    to.expect(name, fade::name(dtype_v<T>), values, bound);
}

/// Captures what append_kv() would launch on `target`.
template <class In, class Cache = In>
void capture_append(capture_target target, const fs::path& folder, const test::append_case& c) {
    static_assert(all_written<kernel::append_arguments<In, Cache>>);
    test::append_data<In, Cache> x(c);
    const test::append_reference<In, Cache> want(x);
    const double bound = test::unit_roundoff<Cache> + test::power_of_two(-22);
    capture out(folder);
    keep_appended(out, "fresh", x.fresh, want.fresh, bound),
        keep_appended(out, "cache", x.cache, want.cache, bound),
        keep_appended(out, "turned", x.rotated, want.rotated, bound);
    keep(out, "angles", x.angles, "in"), keep(out, "cache_lengths", x.held, "in"),
        keep(out, "new_lengths", x.begins, "in"), keep(out, "table", x.table, "in");
    for (const auto& launch : plan_append_kv<In, Cache>(target, x.problem, x.operands()).launches)
        out.launch(target.row(), launch);
    out.close();
    std::ofstream(folder / "case.txt") << c << '\n';
}

/// Captures what quantize() would launch on `target`, in a workspace of the case's own; results are expected
/// to the bit.
template <class Out, class In>
void capture_quantize(capture_target target, const fs::path& folder, test::quantize_case c) {
    static_assert(all_written<kernel::quantize_arguments<Out, In>>);
    constexpr std::uint8_t fill = 0x5a;
    c.own_workspace = true;
    test::quantize_data<Out, In> x(c, fill);
    const std::vector<double> factors = test::reference_factors(x);
    std::vector<double> scales = values_of(x.scales);
    std::copy(factors.begin(), factors.end(), scales.begin());
    capture out(folder);
    keep(out, "x", x.x, "in"), keep(out, "out", x.out, "inout"), keep(out, "scales", x.scales, "inout"),
        keep(out, "workspace", x.workspace, "scratch");
    for (const auto& launch : plan_quantize<Out, In>(target, x.problem, x.operands(), x.options()).launches)
        out.launch(target.row(), launch);
    const std::string type = name(dtype_v<Out>);
    out.expect("out", type == "f8e4m3" ? "f8e4m3fn" : type,
               values_of(test::reference_elements(x, factors, fill)), 0);  // as the replayer calls it
    out.expect("scales", "f32", scales, 0);
    out.close();
    std::ofstream(folder / "case.txt") << c << '\n';
}

}  // namespace fade::replay

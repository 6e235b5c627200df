// Runs a case and says what is wrong with the outcome; nothing if all is right.
#pragma once
#include "common/gemm_data.hpp"
#include <fade/gemm.hpp>
#include <sstream>

namespace fade::test {

/// Makes a device of an architecture: the host natively, every other one emulated.
template <class Arch>
auto device_of(int threads, int compute_units) {
    if constexpr (std::is_same_v<Arch, arch::host>)
        return host_device(threads);
    else
        return emulated_device<Arch>({.threads = threads, .compute_units = compute_units});
}

/// ||D - reference||_F <= ||bound||_F over what is finite; NaN and infinities must stand where the reference
/// has them.
template <class T>
std::string difference(const matrix<T>& d, const std::vector<bounded>& reference) {
    double off = 0, allowed = 0, norm = 0;
    index special = 0, i = 0;
    d.each([&](index b, index r, index c) {
        const bounded& want = reference[std::size_t(i++)];
        const double got = value_of(d.at(b, r, c));
        if (!std::isfinite(want.value))
            special += std::isnan(want.value) ? !std::isnan(got) : got != want.value;
        else
            off += (got - want.value) * (got - want.value), allowed += want.error * want.error,
                norm += want.value * want.value;
    });
    std::ostringstream out;
    if (special) out << special << " elements are not the NaN or infinity that they must be; ";
    if (!(off <= allowed))
        out << "||D - reference|| is " << std::sqrt(off) << ", at most " << std::sqrt(allowed)
            << " (||reference|| is " << std::sqrt(norm) << ")";
    return out.str();
}

/// What is wrong with a report that must name the sizes of a product; nothing if it does.
inline std::string unnamed_sizes(const report& said, index rows, index columns, index k) {
    std::ostringstream sizes;
    sizes << ' ' << rows << " x " << columns << " x " << k << ", ";
    return said.requested.find(sizes.str()) == std::string::npos ? "the report says " + said.requested : "";
}

/// The result of data on a device, held against the reference; nothing else may have been written.
template <gemm_kernels Kernels, class In, class Out, class Source, class Device, class Epilogue>
std::string outcome(Device& device, gemm_data<In, Out, Source>& data, const Epilogue& epilogue) {
    const auto a = data.a.bytes();
    const auto b = data.b.bytes();
    const auto c = data.c.bytes();
    const auto reference = expected(data);  // before D, which may be C, is written
    data.poison_output();
    try {
        gemm<In, Out, Kernels>(device, data.of.asked(), data.operands(), epilogue,
                               {.split_k = data.of.split_k});
    } catch (const error& e) {
        return std::string("refused: ") + e.what();
    }
    if (const index n = data.d.disturbed()) return std::to_string(n) + " elements outside D were written";
    if (!data.a.same_bytes(a) || !data.b.same_bytes(b) || !data.c.same_bytes(c))
        return "an input was written";
    return difference(data.d, reference);
}

/// As outcome(), and again with another number of threads: the same bits.
template <class Arch, class In, class Out, gemm_kernels Kernels, class Source = Out>
std::string check_gemm(const gemm_case& of) {
    gemm_data<In, Out, Source> data(of);
    auto device = device_of<Arch>(of.threads, of.compute_units);
    const std::string wrong = outcome<Kernels>(device, data, data.chain());
    if (!wrong.empty()) return wrong;
    const auto first = data.d.bytes();
    data.poison_output();
    auto other = device_of<Arch>(of.threads % 3 + 1, of.compute_units);
    gemm<In, Out, Kernels>(other, of.problem, data.operands(), data.chain(), {.split_k = of.split_k});
    return data.d.same_bytes(first) ? "" : "two runs give different bits";
}

}  // namespace fade::test

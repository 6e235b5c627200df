// Random problems with tails, captured as a launch on an architecture would be.
#pragma once
#include "capture.hpp"
#include "common/gemm_data.hpp"
#include "launched.hpp"
#include <fade/gemm.hpp>

namespace fade::replay {

/// Memory of a matrix as the launch may touch it: not one byte before its first element or after its last.
template <class T>
void keep(capture& to, const std::string& name, const test::matrix<T>& m, const std::string& role) {
    to.memory(name, m.data(), std::size_t(m.place().span()) * sizeof(T), role);
}

/// The reference of D, NaN between its rows, where the poison must stay; and its bound relative to its norm.
template <class In, class Out>
void expect_output(capture& to, const test::gemm_data<In, Out>& data,
                   const std::vector<test::bounded>& reference) {
    std::vector<double> values(std::size_t(data.d.place().span()), std::nan(""));
    double error = 0, norm = 0;
    std::size_t i = 0;
    data.d.each([&](index b, index r, index c) {
        const auto& want = reference[i++];
        values[std::size_t(data.d.place().at(b, r, c))] = want.value;
        error += want.error * want.error, norm += want.value * want.value;
    });
    to.expect("d", name(dtype_v<Out>), values, std::sqrt(error / norm));
}

/// Captures what gemm() would launch on `target` for a case and its epilogue.
template <gemm_kernels Kernels, class In, class Out, class Epilogue>
void capture_gemm(capture_target target, const fs::path& folder, test::gemm_data<In, Out>& data,
                  const Epilogue& epilogue) {
    const auto reference = test::expected(data);
    data.poison_output();
    gemm_options options{.split_k = data.of.split_k};
    const auto plan_with = [&] {
        return plan_gemm<In, Out, Kernels>(target, data.of.problem, data.operands(), epilogue, options);
    };
    std::vector<std::byte> workspace(plan_with().workspace_bytes, std::byte{0xff});
    options.workspace = workspace.data(), options.workspace_bytes = workspace.size();
    capture out(folder);
    keep(out, "a", data.a, "in"), keep(out, "b", data.b, "in"), keep(out, "d", data.d, "inout");
    if (data.of.reads_c() && !data.of.in_place) keep(out, "c", data.c, "in");
    for (std::size_t i = 0; i < data.sources.size(); ++i)
        if (data.sources[i]) keep(out, "source" + std::to_string(i), *data.sources[i], "in");
    out.memory("workspace", workspace.data(), workspace.size(), "scratch");
    for (const auto& launch : plan_with().launches) out.launch(target.row(), launch);
    expect_output(out, data, reference);
    out.close();
    std::ofstream(folder / "case.txt") << data.of << '\n';
}

}  // namespace fade::replay

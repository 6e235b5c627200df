// Captures of products with few rows or few columns.
#pragma once
#include "common/gemm_data.hpp"
#include "common/skinny_case.hpp"
#include "problems.hpp"

namespace fade::replay {

/// Waves share k, and so do workgroups: each has a step and some more.
template <class Arch, class In, operand_access Access, test::few Which>
void capture_few(const std::filesystem::path& at, std::mt19937_64& random) {
    const auto from = [&](int low, int high) {
        return fade::index(low + int(random() % unsigned(high - low + 1)));
    };
    const auto tile = test::skinny_tile<Arch, In, Access, Which>;
    const auto others = test::more_than_few(tile, Which) + from(40, 96);
    test::gemm_case c =
        test::skinny_case(gemm_layout(int(Access)), Which, from(1, 20), others, from(1200, 2240), 8);
    test::lay_out(c.problem, 8, 0);
    c.split_k = 2, c.stages = {{stage_kind::bias}}, c.seed = random();
    test::gemm_data<In, In> data(c);
    capture_gemm<only(Access)>(capture_target(std::string(Arch::traits.name), c.compute_units), at, data,
                               bias(data.sources[0]->data()));
}

template <class Arch>
void capture_few_rows_and_columns(const std::filesystem::path& at, std::mt19937_64& random) {
    using enum operand_access;
    using enum test::few;
    capture_few<Arch, f16, nt, rows>(at / "f16-nt-few-rows", random);
    capture_few<Arch, f16, nt, columns>(at / "f16-nt-few-columns", random);
    capture_few<Arch, bf16, nn, rows>(at / "bf16-nn-few-rows", random);
    capture_few<Arch, f16, nn, columns>(at / "f16-nn-few-columns", random);
    capture_few<Arch, f16, tn, rows>(at / "f16-tn-few-rows", random);
}

}  // namespace fade::replay

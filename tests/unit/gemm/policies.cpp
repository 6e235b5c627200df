// Policies that nobody ships: every pipeline on architectures of every kind, and numbers of waves that leave
// lanes without work.
#include "common/gemm_policy.hpp"
#include "common/property.hpp"
#include <doctest/doctest.h>

using namespace fade;
using block::pipeline_kind;

namespace {

template <class Arch, class In, gemm_policy Policy>
void check_policy() {
    for (const auto& c : test::policy_cases(Policy.block_tile, rc::detail::configuration().testParams.seed)) {
        INFO(c);
        CHECK(test::wrong_policy<Arch, In, Policy>(c) == "");
    }
}

template <class Arch, class In>
void check_pipelines() {
    check_policy<Arch, In, test::piped<Arch, In>(pipeline_kind::single_buffer)>();
    check_policy<Arch, In, test::piped<Arch, In>(pipeline_kind::double_buffer)>();
    check_policy<Arch, In, test::piped<Arch, In>(pipeline_kind::read_ahead)>();
}

}  // namespace

TEST_CASE("MFMA") { check_pipelines<arch::gfx942, f16>(); }
TEST_CASE("WMMA") { check_pipelines<arch::gfx1100, bf16>(); }
TEST_CASE("dot products") { check_pipelines<arch::gfx1030, f16>(); }
TEST_CASE("multiply-add") { check_pipelines<arch::gfx906, f32>(); }

TEST_CASE("three waves") {
    check_policy<arch::gfx942, f16, gemm_policy{.block_tile = {96, 32, 64}, .wave_tile = {32, 32}}>();
    check_policy<arch::gfx1201, bf16,
                 gemm_policy{.block_tile = {16, 48, 32},
                             .wave_tile = {16, 16},
                             .pipeline = pipeline_kind::single_buffer}>();
}
TEST_CASE("one wave") {
    check_policy<arch::gfx1100, f16, gemm_policy{.block_tile = {64, 32, 32}, .wave_tile = {64, 32}}>();
}

// Every pipeline on architectures of every kind, also those that no shipped policy of theirs names.
#include <doctest/doctest.h>
#include "common/gemm_pipeline.hpp"
#include "common/property.hpp"

using namespace fade;
using block::pipeline_kind;

namespace {

template <class Arch, class In, pipeline_kind Kind>
void check_pipeline() {
    for (const auto& c : test::pipeline_cases<Arch, In>(rc::detail::configuration().testParams.seed)) {
        INFO(c);
        CHECK(test::wrong_pipeline<Arch, In, Kind>(c) == "");
    }
}

template <class Arch, class In>
void check_pipelines() {
    check_pipeline<Arch, In, pipeline_kind::single_buffer>();
    check_pipeline<Arch, In, pipeline_kind::double_buffer>();
    check_pipeline<Arch, In, pipeline_kind::read_ahead>();
}

}  // namespace

TEST_CASE("MFMA") { check_pipelines<arch::gfx942, f16>(); }
TEST_CASE("WMMA") { check_pipelines<arch::gfx1100, bf16>(); }
TEST_CASE("dot products") { check_pipelines<arch::gfx1030, f16>(); }
TEST_CASE("multiply-add") { check_pipelines<arch::gfx906, f32>(); }

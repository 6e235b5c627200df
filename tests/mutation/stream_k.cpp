// Fails when a product by stream-k is wrong: whole tiles and shared ones. Exit 1 at the first that is.
#include "common/gemm_check.hpp"
#include "common/gemm_edges.hpp"
#include <cstdio>

using namespace fade;

namespace {

constexpr gemm_policy policy{.block_tile = {64, 32, 32},
                             .wave_tile = {32, 32},
                             .pipeline = block::pipeline_kind::double_buffer,
                             .swizzle_rows = 2,
                             .schedule = gemm_schedule::stream_k};
constexpr gemm_kernels kernels = with_policy(policy, only(operand_access::nt));

}  // namespace

int main() {
    for (const int compute_units : {1, 5, 7}) {
        auto c = test::case_of({gemm_layout::nt, true, true}, {200, 104, 96}, 7);
        c.compute_units = compute_units;
        if (const std::string wrong = test::check_gemm<arch::gfx942, f16, f16, kernels>(c); !wrong.empty())
            return std::printf("%s\n", wrong.c_str()), 1;
    }
}

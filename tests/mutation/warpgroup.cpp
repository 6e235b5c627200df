// Fails when products that four waves make together are wrong: by a ring of copies, and complete at once
// behind tiles that pass the registers. Exit 1 at the first that is.
#include "common/gemm_policy.hpp"
#include <cstdio>

using namespace fade;

namespace {

int failures = 0;

/// Columns are those of one instruction (128), or of a wide one and a narrow one (192).
template <block::pipeline_kind Pipeline, int Columns>
void check(const char* what) {
    constexpr gemm_policy policy{
        .block_tile = {64, Columns, 64}, .wave_tile = {16, Columns}, .pipeline = Pipeline};
    for (const auto& c : test::policy_cases(policy.block_tile, 9)) {
        const std::string wrong = failures ? "" : test::wrong_policy<arch::sm_90a, f16, policy>(c);
        if (!wrong.empty() && !failures++) std::printf("%s: %s\n", what, wrong.substr(0, 200).c_str());
    }
}

}  // namespace

int main() {
    check<block::pipeline_kind::async_ring, 128>("async_ring");
    check<block::pipeline_kind::double_buffer, 128>("double_buffer");
    check<block::pipeline_kind::double_buffer, 192>("double_buffer");
    return failures != 0;
}

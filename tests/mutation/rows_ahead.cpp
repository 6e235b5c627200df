// Fails when rows of atoms that are read a step ahead are wrong: 8-bit floats of an emulated gfx950 at the
// edges of its large tiles. Exit 1 at the first that is.
#include "common/gemm_edges.hpp"
#include "common/gemm_policy.hpp"
#include <cstdio>

using namespace fade;

int main() {
    using device = arch::gfx950;
    static constexpr auto kernels = only(operand_access::nt, operand_access::tn);
    for (const gemm_layout layout : {gemm_layout::nt, gemm_layout::tn}) {
        const test::kernel_choice kernel{layout, true, true, 16};
        for (const auto& e : test::edges_of(test::policy_of<device, f8e4m3>(kernel))) {
            std::string wrong;
            try {
                wrong = test::check_gemm<device, f8e4m3, bf16, kernels>(test::case_of(kernel, e, 11));
            } catch (const std::exception& error) {
                wrong = error.what();
            }
            if (wrong.empty()) continue;
            std::printf("%s\n", wrong.substr(0, 200).c_str());
            return 1;
        }
    }
}

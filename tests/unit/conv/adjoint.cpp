// Backward data and backward weights are the adjoints of the forward pass, whatever the shape.
#include "common/conv_adjoint.hpp"
#include "common/conv_suite.hpp"

using namespace fade;

TEST_CASE("passes of convolution are adjoint on the host") {
    test::check_adjoint<arch::host>(60, test::conv_seed());
}
TEST_CASE("passes of convolution are adjoint on gfx942") {
    test::check_adjoint<arch::gfx942>(20, test::conv_seed());
}
TEST_CASE("passes of convolution are adjoint on gfx1100") {
    test::check_adjoint<arch::gfx1100>(20, test::conv_seed());
}

// Fails when an attention kernel is wrong, with matrix instructions and without. Exit 1 at the first that is.
#include "narrow_device.hpp"

using namespace fade;

int main() {
    test::narrow_device<arch::gfx942, {64, false}> matrix;
    test::narrow_device<arch::gfx1030, {256, false}>
        vector;  // weights pass through shared memory, and two workgroups share the columns of O
    auto few = test::attention_cases(136);
    few.erase(few.begin() + 2, few.end() - 4);
    return test::tried<f16>(matrix, test::attention_cases(40)) || test::tried<f16>(vector, few);
}

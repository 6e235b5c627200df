// Fails when the kernels that decode are wrong, or what combines their shares. Exit 1 at the first that is.
#include "narrow_device.hpp"

using namespace fade;

int main() {
    test::narrow_device<arch::gfx1030, {128, true}> device;  // two workgroups share the columns of O
    for (const int splits : {1, 7})                          // of seven some are left without keys
        if (test::tried<f16>(device, test::decoding_cases(104, splits), splits)) return 1;
    return test::tried<f16>(device, test::long_case(104), 25);  // more than are combined at once
}

// Fails when scores that are computed ahead go wrong, with one stage of shared memory and with two. Exit 1 at
// the first that does.
#include "attention_many_keys.hpp"

using namespace fade;

int main() {
    test::narrow_device<arch::gfx942, {64, false}> one_stage;
    test::narrow_device<arch::gfx950, {64, false}> two_stages;
    return test::wrong_with_many_keys(one_stage) || test::wrong_with_many_keys(two_stages);
}

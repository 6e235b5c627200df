// Fails when scores that are computed ahead go wrong, with values that lanes turn and with values that turn
// as they are read. Exit 1 at the first that does.
#include "attention_many_keys.hpp"

using namespace fade;

int main() {
    test::narrow_device<arch::gfx942, {64, false}> turned_by_lanes;
    test::narrow_device<arch::gfx950, {64, false}> turned_by_reads;
    return test::wrong_with_many_keys(turned_by_lanes) || test::wrong_with_many_keys(turned_by_reads);
}

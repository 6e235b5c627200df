// Fails when splits are combined wrong. Exit 1 at the first that is.
#include "common/combine_case.hpp"
#include <cstdio>

using namespace fade;

namespace {

template <class Arch>
bool tried(std::initializer_list<test::combine_case> cases) {
    emulated_device<Arch> device({.threads = 1});
    for (const test::combine_case& c : cases)
        if (const std::string wrong = test::wrong_combination(device, c); !wrong.empty())
            return std::printf("%s: %s\n", device.name().c_str(), wrong.c_str()), false;
    return true;
}

}  // namespace

int main() {
    const std::initializer_list<test::combine_case> cases{
        {.batch = 2, .heads = 4, .tile_heads = 2},
        {.batch = 3, .heads = 3, .columns = 37, .splits = 12, .variable = true, .seed = 2},
        {.columns = 128, .splits = 33, .seed = 3},
        {.heads = 1, .columns = 64, .splits = 130, .seed = 4},  // groups of lanes go round more than once
        {.heads = 1, .columns = 301, .splits = 25, .seed = 5},  // more columns than lanes
        {.heads = 1, .seq_q = 1, .columns = 8, .splits = 90, .seed = 6}};
    return !(tried<arch::gfx942>(cases) && tried<arch::sm_90a>(cases));
}

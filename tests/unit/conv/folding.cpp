// Which convolutions of few channels fold taps, where sizes pass 32 bits.
#include <doctest/doctest.h>
#include <fade/kernel/conv/check.hpp>
#include <fade/tune/conv/evidence.hpp>
#include <fade/tune/conv/folding.hpp>

using namespace fade;
using tune::folding;

namespace {

folding chosen(const conv_problem& p, conv_pass pass = conv_pass::backward_data, bool asked = false) {
    const tune::algorithm_request request{.pass = pass,
                                          .sizes = kernel::sizes_of(kernel::checked(p)),
                                          .in_bytes = 2,
                                          .out_bytes = 2,
                                          .floating = true,
                                          .asked = asked};
    return tune::folding_of(request, {64, 1, false});
}

constexpr conv_problem few{
    .channels = 4, .filters = 4, .input = {1, 50, 50}, .filter = {1, 5, 5}, .stride = {1, 2, 2}};

}  // namespace

TEST_CASE("few channels fold their taps") {
    CHECK(chosen(few) != folding::none);
    CHECK(chosen(few, conv_pass::forward) != folding::none);
    CHECK(chosen(few, conv_pass::backward_weights) == folding::none);
}

TEST_CASE("columns, places and taps beyond 2^31 are no copy") {
    conv_problem p = few;
    p.stride = {};
    for (const int bits : {26, 27, 28, 30}) {
        p.filters = 1 << bits;
        CHECK(chosen(p) == folding::none);
    }
    p.filters = 0x7fffffff;
    CHECK(chosen(p) == folding::none);
    CHECK(chosen(p, conv_pass::forward) == folding::none);
    p = few, p.filter = {1, 1, 2}, p.channels = 0x3fffffff;
    CHECK(chosen(p, conv_pass::forward) == folding::none);
    // Taps of different remainders lie as far apart as pixels can.
    p = few, p.dilation = {1, 1000001, 1000001}, p.pad = {0, 2000002, 2000002};
    p.input = {1, 2, 2};
    CHECK(chosen(p) == folding::none);
    // 2^31 - 1 taps and two are no 31 at most.
    p = few, p.filter = {1, 1, 0x7fffffff}, p.channels = p.filters = 1, p.stride = {};
    p.input = {1, 1, 1}, p.pad = {0, 0, 0x7ffffffe}, p.pad_end = {};
    CHECK(chosen(p) == folding::none);
}

TEST_CASE("strides of more parts than can be launched fold nothing") {
    conv_problem p = few;
    for (const spatial stride :
         {spatial{1, 1 << 30, 1}, spatial{1, 65536, 1}, spatial{1 << 16, 1 << 16, 1}}) {
        p.stride = stride;
        CHECK(chosen(p) == folding::none);
    }
}

TEST_CASE("what was measured is of one architecture and type") {
    CHECK(tune::evidence_of_folded("sm_90a", dtype::f16).starts_with("measured on an H200 in f16"));
    CHECK(tune::evidence_of_folded("sm_90a", dtype::bf16) ==
          "none: nobody audited or measured folded taps of bf16 on sm_90a");
    CHECK(tune::evidence_of_folded("gfx942", dtype::f16).starts_with("none: "));
}

TEST_CASE("an algorithm that is asked for adds no zeros that dy meets") {
    CHECK(chosen(few, conv_pass::backward_data, true) == folding::none);
    CHECK(chosen(few, conv_pass::forward, true) != folding::none);
    conv_problem p = few;
    p.stride = {};
    CHECK(chosen(p, conv_pass::backward_data, true) != folding::none);
    p.stride = {1, 5, 5};  // each pixel sees one tap
    CHECK(chosen(p, conv_pass::backward_data, true) == chosen(p));
    p.stride = {1, 2, 1};
    CHECK(chosen(p, conv_pass::backward_data, true) == folding::lines);
}

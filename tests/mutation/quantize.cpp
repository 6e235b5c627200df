// Fails when a quantisation is wrong. Exit 1 at the first that is.
#include "common/quantize_case.hpp"
#include <cstdio>

using namespace fade;

namespace {

/// More rows than a workgroup takes, so that shares begin amid sequences and end in others.
test::quantize_case usual() {
    return {.problem = {.batch = 3, .positions = 45, .heads = 3, .head_dim = 40}, .spread = 3, .seed = 5};
}

std::vector<test::quantize_case> cases() {
    std::vector<test::quantize_case> all;
    const auto add = [&](auto change) {
        all.push_back(usual());
        change(all.back(), all.back().problem);
    };
    using test::lying;
    add([](auto&, auto&) {});
    add([](auto& c, auto& p) { p.per_head = c.own_workspace = true, c.out = lying::gaps; });
    add([](auto& c, auto& p) {
        p.per_head = c.specials = true, c.x = lying::gaps, c.out = lying::heads_first;
    });
    add([](auto& c, auto& p) {
        p.batch = 20, p.positions = 3, c.x = lying::heads_first, c.specials = true;
    });  // a wave steps over several sequences
    add([](auto& c, auto& p) {
        p.batch = 1, p.positions = 3000, p.heads = 7, p.head_dim = 2, c.spread = -2;
    });  // more shares than a workgroup has lanes, what is largest in any
    add([](auto& c, auto& p) { p.positions = 0, p.per_head = c.own_workspace = true; });
    add([](auto& c, auto& p) {
        p.per_head = true, c.exponent = -100, c.spread = 20;
    });  // factors below the normal numbers
    return all;
}

/// The largest number, negative, and ties between two 8-bit floats with their neighbours among f32, all times
/// a factor.
template <class Out>
std::vector<float> ties(double factor) {
    const double largest = test::decode(test::format_of<Out>, test::format_of<Out>.largest());
    std::vector<float> all{float(-largest * factor)};
    for (std::uint8_t bits = 0; bits < 60; ++bits) {
        const auto tie =
            float((test::value_of(Out{bits}) + test::value_of(Out{std::uint8_t(bits + 1)})) / 2 * factor);
        for (const float e : {tie, -tie, std::nextafter(tie, 0.0f), std::nextafter(tie, 1.0f),
                              std::nextafter(-tie, 0.0f), std::nextafter(-tie, -1.0f)})
            all.push_back(e);
    }
    return all;
}

template <class Out, class Device>
std::string wrong_ties(Device& device, double factor) {
    const std::vector<float> elements = ties<Out>(factor);
    test::quantize_data<Out, float> d(
        {.problem = {.positions = 1, .head_dim = fade::index(elements.size())}});
    d.x = elements;
    quantize<Out, float>(device, d.problem, d.operands());
    return test::wrong_with(d);
}

template <class Out, class In, class Device>
std::string first_wrong(Device& device) {
    for (const test::quantize_case& c : cases())
        if (const std::string wrong = test::wrong_quantize<Out, In>(device, c); !wrong.empty()) return wrong;
    for (const double factor : {0.25, 0.7, 1.3})
        if (const std::string wrong = wrong_ties<Out>(device, factor); !wrong.empty()) return wrong;
    return "";
}

template <class Out, class In, class Device>
bool tried(Device&& device) {
    const std::string wrong = first_wrong<Out, In>(device);
    if (!wrong.empty()) std::printf("%s: %s\n", device.name().c_str(), wrong.c_str());
    return wrong.empty();
}

}  // namespace

int main() {
    return !(tried<f8e4m3fnuz, f32>(emulated_device<arch::gfx1030>()) && tried<f8e5m2, bf16>(host_device(2)));
}

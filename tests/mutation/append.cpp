// Fails when an append to a cache of keys and values is wrong. Exit 1 at the first that is.
#include "common/append_reference.hpp"
#include <cstdio>

using namespace fade;

namespace {

/// Two sequences whose caches hold something; heads turn in part, and the last workgroup is not full.
test::append_case usual() {
    return {.problem = {.batch = 2,
                        .heads = 3,
                        .kv_heads = 2,
                        .new_positions = 9,
                        .capacity = 40,
                        .head_dim = 20,
                        .rotary_dim = 12},
            .held = {3, 20},
            .seed = 7};
}

std::vector<test::append_case> cases() {
    std::vector<test::append_case> all;
    const auto add = [&](auto change) {
        all.push_back(usual());
        change(all.back(), all.back().problem);
    };
    using test::arrangement;
    add([](auto&, auto&) {});
    add([](auto& c, auto& p) {
        p.style = rotary_style::interleaved, p.head_dim = 21, c.lie = arrangement::gaps;
    });
    add([](auto& c, auto& p) {
        p.rotary_dim = 20, c.lie = arrangement::fused;
    });  // all elements turn, those of queries where they lie
    add([](auto& c, auto& p) {
        p.style = rotary_style::interleaved, p.page_size = 4, c.unmapped = true,
        c.lie = arrangement::heads_first;
    });
    add([](auto& c, auto& p) {
        c.fresh = {12, 5}, p.page_size = 16;
    });  // more tokens than the call says are not written
    add([](auto& c, auto&) { c.fresh = {2, 9}, c.lie = arrangement::fused; });
    add([](auto& c, auto&) { c.held = {36, -2}; });  // some tokens have no place
    add([](auto& c, auto& p) { c.held = {}, p.heads = p.rotary_dim = 0; });
    return all;
}

template <class In, class Cache, class Device>
bool tried(Device&& device) {
    for (const test::append_case& c : cases())
        if (const std::string wrong = test::wrong_append<In, Cache>(device, c); !wrong.empty())
            return std::printf("%s: %s\n", device.name().c_str(), wrong.c_str()), false;
    return true;
}

}  // namespace

int main() {
    return !(tried<f16, f16>(emulated_device<arch::gfx1030>()) && tried<float, bf16>(host_device(2)));
}

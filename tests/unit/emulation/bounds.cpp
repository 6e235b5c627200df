// Global memory under emulation: accesses outside a matrix, or not aligned, are reported and do nothing; the
// offset `outside` is no access.
#include <algorithm>
#include <doctest/doctest.h>
#include <fade/gemm.hpp>

using namespace fade;

namespace {

/// Lane 0 loads at one byte offset of a matrix of 8 floats and stores what it got, plus 1, at another.
struct shift {
    struct arguments {
        float* values;
        std::uint32_t from, to;
    };
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = 1, .shared_bytes = 16};
    }
    template <class Block>
    static void run(Block& block, const arguments& args) {
        const auto memory = block.global(args.values, args.values, args.values + 8);
        block.each_lane([&](lane_coord p) {
            if (p.lane == 0) memory.store(args.to, memory.template load<float>(args.from) + 1);
        });
    }
};

struct result {
    std::uint64_t faults;
    std::string first;
    std::vector<float> memory;  // 4 floats before the matrix, the matrix, 4 after it
};

result shifted(std::uint32_t from, std::uint32_t to) {
    result r{0, "", std::vector<float>(16, 5.0f)};
    emulated_device<arch::gfx1100> d({.threads = 1, .faults_throw = false});
    d.launch<shift>({1, 1, 1}, {r.memory.data() + 4, from, to});
    r.faults = d.monitor().fault_count();
    for (const auto& f : d.monitor().faults()) CHECK(f.kind == backend::emulated::fault_kind::out_of_bounds);
    if (r.faults) r.first = d.monitor().faults()[0].what;
    return r;
}

int changed(const result& r) {
    return int(std::count_if(r.memory.begin(), r.memory.end(), [](float x) { return x != 5; }));
}

}  // namespace

TEST_CASE("accesses inside a matrix") {
    const result r = shifted(28, 0);
    CHECK(r.faults == 0);
    CHECK(r.memory[4] == 6);
    CHECK(changed(r) == 1);
}

TEST_CASE("a load outside is reported and gives zero") {
    for (const std::uint32_t at : {32u, 30u, 4096u}) {
        const result r = shifted(at, 0);
        CHECK(r.faults == 1);
        CHECK(r.first.find("load of 4 bytes at byte " + std::to_string(at)) != std::string::npos);
        CHECK(r.memory[4] == 1);
    }
}

TEST_CASE("an access that is not aligned as it is long is reported and does nothing") {
    const result load = shifted(2, 0), store = shifted(0, 6);
    CHECK(load.faults == 1);
    CHECK(load.first.find("misaligned global load of 4 bytes at byte 2") != std::string::npos);
    CHECK(load.memory[4] == 1);
    CHECK(store.faults == 1);
    CHECK(changed(store) == 0);
}

TEST_CASE("a store outside is reported and writes nothing") {
    const result r = shifted(0, 32);
    CHECK(r.faults == 1);
    CHECK(r.first.find("store") != std::string::npos);
    CHECK(changed(r) == 0);
}

TEST_CASE("the offset that no access touches") {
    const result load = shifted(backend::outside, 4), store = shifted(0, backend::outside + 64);
    CHECK(load.faults == 0);
    CHECK(load.memory[5] == 1);
    CHECK(store.faults == 0);
    CHECK(changed(store) == 0);
}

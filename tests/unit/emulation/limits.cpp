// What an architecture could not launch is refused where it is emulated, before anything runs.
#include <doctest/doctest.h>
#include <fade/gemm.hpp>
#include <string>

using namespace fade;

namespace {

/// A kernel that asks for so much, and says that it ran.
template <int Waves, int Bytes, int Occupancy = 1>
struct asks {
    struct arguments {
        int* ran;
    };
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = Waves, .shared_bytes = Bytes, .waves_per_simd = Occupancy};
    }
    template <class Block>
    static void run(Block&, const arguments& args) {
        __atomic_fetch_add(args.ran, 1, __ATOMIC_RELAXED);
    }
};

/// What a launch says, and that it ran if and only if it says nothing.
template <class Arch, class Entry>
std::string said_of(grid_shape grid = {}) {
    emulated_device<Arch> device({.threads = 1});
    int ran = 0;
    std::string said;
    try {
        device.template launch<Entry>(grid, {&ran});
    } catch (const error& e) {
        said = e.what();
    }
    CHECK(ran == (said.empty() ? grid.x * grid.y * grid.z : 0));
    return said;
}

template <class Arch, int Waves, int Bytes>
void check_max() {
    INFO(Arch::traits.name);
    const std::string name(Arch::traits.name);
    CHECK(said_of<Arch, asks<Waves, Bytes>>() == "");
    CHECK(said_of<Arch, asks<Waves + 1, Bytes>>() ==
          "waves is " + std::to_string(Waves + 1) + ", but a workgroup of " + name + " has 1 to " +
              std::to_string(Waves) + " waves of " + std::to_string(1024 / Waves) + " lanes");
    CHECK(said_of<Arch, asks<Waves, Bytes + 1>>() ==
          "shared_bytes is " + std::to_string(Bytes + 1) + ", but a workgroup of " + name + " has at most " +
              std::to_string(Bytes) + " bytes of shared memory: take smaller tiles or fewer stages");
}

}  // namespace

// Figures: AMD's ISA guides, the CUDA programming guide (compute capabilities).
TEST_CASE("lanes and shared memory of a workgroup") {
    check_max<arch::gfx906, 16, 65536>();
    check_max<arch::gfx942, 16, 65536>();
    check_max<arch::gfx950, 16, 163840>();
    check_max<arch::gfx1030, 32, 65536>();
    check_max<arch::gfx1201, 32, 65536>();
    check_max<arch::sm_90a, 32, 232448>();
    CHECK(said_of<arch::gfx942, asks<1, 264192>>().find("264192") != std::string::npos);
    CHECK(said_of<arch::gfx942, asks<100, 64>>().find("waves is 100") == 0);
    CHECK(said_of<arch::gfx942, asks<0, 64>>().find("waves is 0") == 0);
    CHECK(said_of<arch::gfx942, asks<1, -4>>().find("shared_bytes is -4") == 0);
}

TEST_CASE("registers that an occupancy keeps") {
    CHECK(said_of<arch::gfx942, asks<1, 64, 8>>() == "");
    CHECK(said_of<arch::gfx942, asks<1, 64, 9>>() ==
          "waves_per_simd is 9, but a SIMD of gfx942 keeps registers for 1 to 8 waves");
    CHECK(said_of<arch::gfx1100, asks<1, 64, 16>>() == "");
    CHECK(said_of<arch::gfx1100, asks<1, 64, 0>>() ==
          "waves_per_simd is 0, but a SIMD of gfx1100 keeps registers for 1 to 16 waves");
}

TEST_CASE("grids") {
    using small = asks<4, 64>;
    CHECK(said_of<arch::gfx942, small>({2, 3, 4}) == "");
    CHECK(said_of<arch::gfx942, small>({-1, 1, 1}) ==
          "grid.x is -1, but a launch on gfx942 has 1 to 16777215 workgroups along it");
    CHECK(said_of<arch::gfx942, small>({16777216, 1, 1}).find("grid.x is 16777216") == 0);
    CHECK(said_of<arch::gfx1100, small>({33554432, 1, 1}).find("1 to 33554431 workgroups") !=
          std::string::npos);
    CHECK(said_of<arch::gfx942, small>({1, 0, 1}) ==
          "grid.y is 0, but a launch on gfx942 has 1 to 65535 workgroups along it");
    CHECK(said_of<arch::sm_90a, small>({1, 1, 65536}).find("grid.z is 65536") == 0);
    CHECK_NOTHROW(
        arch::check_launch(arch::gfx942::traits, {.waves = 4, .shared_bytes = 64}, {16777215, 65535, 65535}));
    CHECK_NOTHROW(
        arch::check_launch(arch::sm_90a::traits, {.waves = 4, .shared_bytes = 64}, {2147483647, 1, 1}));
}

TEST_CASE("the host refuses what it has not, too") {
    host_device device(2);
    int ran = 0;
    const auto refused = [&](auto entry, grid_shape grid) -> std::string {
        try {
            device.launch<decltype(entry)>(grid, {&ran});
        } catch (const error& e) {
            return e.argument();
        }
        return "";
    };
    CHECK(refused(asks<1, 64>{}, {1, -3, 1}) == "grid.y");
    CHECK(refused(asks<1, (8 << 20) + 1>{}, {1, 1, 1}) == "shared_bytes");
    CHECK(ran == 0);
    CHECK(refused(asks<1, 64>{}, {3, 5, 7}) == "");
    CHECK(ran == 105);
}

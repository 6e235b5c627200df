// A device says in which shape it launches an entry, so that host code need not know its architecture.
#include <doctest/doctest.h>
#include <fade/gemm.hpp>
#include <string>
#include <utility>

using namespace fade;

namespace {

/// 256 lanes wherever a workgroup has several, and a byte of shared memory a lane.
struct counted {
    struct arguments {
        int* lanes;
    };
    template <class Arch>
    static constexpr launch_shape shape() {
        constexpr int waves = Arch::traits.wave_size == 1 ? 1 : 256 / Arch::traits.wave_size;
        return {.waves = waves,
                .shared_bytes = waves * Arch::traits.wave_size,
                .waves_per_simd = 2,
                .awaits = Arch::traits.wave_size == 32};
    }
    template <class Block>
    static void run(Block&, const arguments& args) {
        *args.lanes = Block::threads;
    }
};

/// Written once for all devices: what is launched has the shape that was said.
template <class Device>
void check(Device&& device, int waves, int wave_size) {
    INFO(device.name());
    const launch_shape shape = std::as_const(device).template shape_of<counted>();
    CHECK(shape.waves == waves);
    CHECK(shape.shared_bytes == waves * wave_size);
    CHECK(shape.waves_per_simd == 2);
    CHECK(shape.awaits == (wave_size == 32));
    int lanes = 0;
    device.template launch<counted>({}, {&lanes});
    CHECK(lanes == waves * wave_size);
}

}  // namespace

TEST_CASE("the shape of an entry is that of the device's architecture") {
    check(host_device(1), 1, 1);
    check(emulated_device<arch::gfx942>(), 4, 64);
    check(emulated_device<arch::gfx1030>(), 8, 32);
    check(emulated_device<arch::gfx1100>(), 8, 32);
    check(emulated_device<arch::sm_90a>(), 8, 32);
}

TEST_CASE("the library's own entries have a shape on every device") {
    using entry = tune::gemm_entry<f16, f16, operand_access::nt, tune::size_class::large, epilogue::none>;
    const emulated_device<arch::gfx942> mi300;
    constexpr gemm_policy policy = tune::gemm_rows<arch::gfx942, f16>::row.large;
    CHECK(mi300.shape_of<entry>().waves == policy.waves());
    CHECK(mi300.shape_of<entry>().waves_per_simd == policy.waves_per_simd);
    CHECK(host_device(1).shape_of<entry>().waves == 1);
}

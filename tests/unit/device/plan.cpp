// Occupancy against thresholds of the compiler, and grids per CU and per work-group processor.
#include <doctest/doctest.h>
#include <fade/device.hpp>

namespace {

fade::device_traits traits(const char* gfx, std::uint64_t multiprocessors) {
    fade::truth::readings r;
    r.runtime.target = gfx, r.runtime.multiprocessors = multiprocessors;
    return fade::describe(r).traits;
}

/// Waves per SIMD of workgroups of one wave that use nothing but registers.
std::uint64_t waves(const char* gfx, std::uint64_t multiprocessors, std::uint64_t wave, std::uint64_t vgprs,
                    std::uint64_t agprs = 0) {
    const auto unit = fade::unit_of(traits(gfx, multiprocessors));
    return fade::occupancy_of(unit, {.threads = wave, .wave_size = wave, .vgprs = vgprs, .agprs = agprs})
               .workgroups_per_unit /
           unit.simds;
}

}  // namespace

TEST_CASE("waves by registers are those of the compiler's own model") {
    CHECK(waves("gfx906", 60, 64, 24) == 10);
    CHECK(waves("gfx906", 60, 64, 25) == 9);
    CHECK(waves("gfx906", 60, 64, 84) == 3);
    CHECK(waves("gfx908", 120, 64, 128, 128) == 2);
    CHECK(waves("gfx908", 120, 64, 100, 129) == 1);
    CHECK(waves("gfx90a", 104, 64, 64, 64) == 4);
    CHECK(waves("gfx942", 304, 64, 168) == 3);
    CHECK(waves("gfx942", 304, 64, 169) == 2);
    CHECK(waves("gfx1010", 20, 32, 48) == 20);
    CHECK(waves("gfx1010", 20, 32, 168) == 6);
    CHECK(waves("gfx1030", 36, 32, 64) == 16);
    CHECK(waves("gfx1030", 36, 32, 65) == 12);
    CHECK(waves("gfx1030", 36, 64, 168) == 3);
    CHECK(waves("gfx1100", 48, 32, 96) == 16);
    CHECK(waves("gfx1100", 48, 32, 97) == 12);
    CHECK(waves("gfx1102", 16, 32, 97) == 9);
    CHECK(waves("gfx1201", 32, 64, 192) == 4);
}

TEST_CASE("pools have the scope of their unit") {
    const auto t = traits("gfx1030", 36);
    const auto pair = fade::unit_of(t), single = fade::unit_of(t, true);
    CHECK(pair.count == 36);
    CHECK(single.count == 72);
    CHECK(pair.lds_bytes == 131072);
    CHECK(single.lds_bytes == 65536);
    const fade::kernel_resources k{.threads = 256, .wave_size = 32, .vgprs = 64, .lds_bytes = 65536};
    CHECK(fade::occupancy_of(pair, k).workgroups_per_unit == 2);
    CHECK(fade::occupancy_of(single, k).workgroups_per_unit == 1);
    CHECK(fade::plan_grid(pair, fade::occupancy_of(pair, k), 100).resident ==
          fade::plan_grid(single, fade::occupancy_of(single, k), 100).resident);
}

TEST_CASE("a workgroup on RDNA owns at most 64 KiB, on gfx950 160 KiB") {
    const fade::kernel_resources k{.threads = 256, .wave_size = 64, .vgprs = 64, .lds_bytes = 70000};
    CHECK_THROWS_AS(fade::occupancy_of(fade::unit_of(traits("gfx1030", 36)), k), fade::error);
    CHECK(fade::occupancy_of(fade::unit_of(traits("gfx950", 256)), k).workgroups_per_unit == 2);
}

TEST_CASE("grids") {
    const auto unit = fade::unit_of(traits("gfx1030", 36));
    const auto o =
        fade::occupancy_of(unit, {.threads = 256, .wave_size = 32, .vgprs = 128, .lds_bytes = 32768});
    CHECK(o.workgroups_per_unit == 4);
    CHECK(fade::plan_grid(unit, o, 144).rounds == 1);
    CHECK(fade::plan_grid(unit, o, 145).rounds == 2);
    CHECK(fade::plan_grid(unit, o, 1000, true).workgroups == 144);
    CHECK(fade::plan_grid(unit, o, 0).workgroups == 0);
    CHECK(fade::plan_grid(unit, o, 72).fill == doctest::Approx(0.5));
}

TEST_CASE("a compiled wave size that the device has not is refused") {
    CHECK_NOTHROW(fade::check_wave_size(64, traits("gfx1030", 36)));
    CHECK_NOTHROW(fade::check_wave_size(32, traits("gfx1030", 36)));
    CHECK_THROWS_AS(fade::check_wave_size(32, traits("gfx942", 304)), fade::error);
}

TEST_CASE("what decides on policies, in words: what is unknown is left out") {
    fade::device_traits t;
    CHECK(fade::tuning_words(t) == "");
    t.xcc_count.value = 8, t.l2_bytes_total.value = 32 << 20, t.lds_per_workgroup_bytes.value = 65536;
    t.partition.value = "SPX", t.engine_clock_mhz.value = 2149;
    CHECK(fade::tuning_words(t) ==
          ", 8 compute dies, L2 32768 KiB, LDS 64 KiB a workgroup, SPX, clock class 2100 MHz");
}

TEST_CASE("what is unknown is not planned with") {
    fade::truth::readings r;
    CHECK_THROWS_AS(fade::unit_of(fade::describe(r).traits), fade::error);
}

TEST_CASE("the largest device of an architecture") {
    static_assert(fade::largest_units("gfx1100") == 96 && fade::largest_units("gfx942") == 304 &&
                  fade::largest_units("gfx1103") == 12);
    CHECK_THROWS_AS(fade::largest_units("gfx9999"), fade::error);
}

namespace {

/// A GPU that says what it was made with.
struct told_device {
    told_device(int, void* stream, int compute_units) : stream_(stream), units(compute_units) {}
    told_device(const told_device&) = delete;
    static fade::backend::device_reading read(int) {
        fade::backend::device_reading r;
        r.target = "gfx1030", r.multiprocessors = 36, r.threads_per_multiprocessor = 2048;
        return r;
    }
    void* stream() const { return stream_; }
    void* stream_;
    int units;
};

}  // namespace

TEST_CASE("a device with its true units") {
    const auto device = fade::with_true_units<told_device>(0);
    CHECK(device.units == 72);
    const auto described = fade::with_true_traits<told_device>(0);
    CHECK(described.units == 72);
    const fade::device_traits t = traits("gfx1030", 36);
    CHECK(fade::tuning_words(t).find(", LDS 64 KiB a workgroup") != std::string::npos);
    CHECK(described.true_traits().find(", LDS 64 KiB a workgroup") != std::string::npos);
    fade::backend::device_reading hidden;
    hidden.multiprocessors = 36;
    CHECK(fade::selector_units(hidden) == 0);
}

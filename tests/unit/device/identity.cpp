// Which chip a device is: what a name, a clock or a board may say, and what they may not.
#include <algorithm>
#include <doctest/doctest.h>
#include <fade/device.hpp>

using fade::describe;
using fade::truth::readings;

namespace {

/// A 6700 XT as rocminfo prints it, under the name of another chip.
readings shown_as(const char* gfx) {
    readings r;
    r.agent.name = gfx, r.agent.compute_units = 40, r.agent.l2_kib = 3072, r.agent.pool_kib = 12566528,
    r.agent.wavefront_size = 32;
    return r;
}

bool named(const fade::device_description& d, const char* field) {
    return std::ranges::any_of(d.conflicts, [&](const auto& c) { return c.field == field; });
}

}  // namespace

TEST_CASE("a name that no override explains does not correct what was read") {
    const auto d = describe(shown_as("gfx1030"));
    CHECK(*d.traits.gfx == "gfx1031");
    CHECK(d.traits.gfx.corrected);
    CHECK(d.traits.gfx.why.find("looks like gfx1031") != std::string::npos);
    CHECK(*d.traits.l2_bytes_total == 3072u << 10);
    CHECK_FALSE(d.traits.l2_bytes_total.corrected);
    CHECK(*d.traits.cu_count == 40);
    CHECK(*d.traits.l3_bytes == 96u << 20);
    CHECK(named(d, "gfx"));
    CHECK(*describe(shown_as("gfx1031")).traits.gfx == "gfx1031");
}

TEST_CASE("where no product fits and no sibling has been shown to, constants of a chip are unknown") {
    readings r;
    r.agent.name = "gfx1030", r.agent.l2_kib = 3072;
    const auto d = describe(r);
    CHECK_FALSE(d.traits.gfx);
    CHECK_FALSE(d.traits.l2_bytes_total);
    CHECK_FALSE(d.traits.shader_engines);
    CHECK_FALSE(d.traits.vgpr_bytes_per_simd);
    CHECK(named(d, "gfx"));
    r = shown_as("gfx1100"), r.agent.pool_kib = {};  // another family, and no memory: a likeness at most
    CHECK_FALSE(describe(r).traits.gfx);
    CHECK(*describe(r).traits.cu_count == 40);
}

TEST_CASE("a chip that the PCI id settles keeps its name, and an L2 that it cannot have is not corrected") {
    readings r;
    r.agent.chip_id = 0x73bf, r.agent.compute_units = 72, r.agent.l2_kib = 3072;
    auto d = describe(r);
    CHECK(*d.traits.gfx == "gfx1030");
    CHECK_FALSE(d.traits.l2_bytes_total);
    CHECK(named(d, "l2_bytes_total"));
    r.agent.l2_kib = 8192;  // twice the chip's, which is a known misreport of Vega 20 alone
    CHECK_FALSE(describe(r).traits.l2_bytes_total);
    r.agent.chip_id = 0x66af, r.agent.compute_units = 60;
    d = describe(r);
    CHECK(*d.traits.l2_bytes_total == 4u << 20);
    CHECK(d.traits.l2_bytes_total.corrected);
}

TEST_CASE("a stepping's own name stays, by PCI id and by marketing name") {
    for (const char* gfx : {"gfx940", "gfx941"}) {
        readings r;
        r.agent.name = gfx, r.agent.compute_units = 304;
        r.agent.marketing_name = "AMD Instinct MI300X";
        CHECK(*describe(r).traits.gfx == gfx);
        r.agent.chip_id = 0x74a1;
        const auto t = describe(r).traits;
        CHECK(*t.gfx == gfx);
        CHECK(*t.l2_bytes_total == 32u << 20);
        CHECK(*t.xcc_count == 8);
        r.environment["HSA_OVERRIDE_GFX_VERSION"] = "9.4.1";
        CHECK(*describe(r).traits.gfx == "gfx942");
    }
}

TEST_CASE("neither a clock nor a board names a product") {
    readings r;
    r.agent.chip_id = 0x1586, r.agent.max_clock_mhz = 2900;
    CHECK_FALSE(describe(r).traits.cu_count);
    r = {};
    r.pci.vendor = 0x1002, r.pci.device = 0x744c, r.pci.subsystem_vendor = 0x1da2,
    r.pci.subsystem_device = 0xe471;
    CHECK_FALSE(describe(r).traits.cu_count);
    CHECK_FALSE(describe(r).traits.l3_bytes);
}

TEST_CASE("places for CUs tell gfx950 from gfx942") {
    readings r;
    r.driver.array_count = 32, r.driver.cu_per_array = 9;
    CHECK(*describe(r).traits.gfx == "gfx950");
    r.driver.cu_per_array = 10;
    CHECK(*describe(r).traits.gfx == "gfx942");
    r.driver.cu_per_array = {};
    CHECK_FALSE(describe(r).traits.gfx);
}

TEST_CASE("a processor's name says how many CUs its graphics have, whatever old kernels count") {
    readings r;
    r.agent.name = "gfx902", r.agent.compute_units = 11;
    CHECK_FALSE(describe(r).traits.cu_count);
    r.agent.marketing_name = "AMD Ryzen 3 2200G with Radeon Vega Graphics";
    const auto t = describe(r).traits;
    CHECK(*t.cu_count == 8);
    CHECK(*t.gfx == "gfx902");
    r.agent.chip_id = 0x73bf, r.agent.compute_units = 72;  // no graphics of that processor
    CHECK(*describe(r).traits.cu_count == 72);
}

TEST_CASE("the memory-side cache follows from the memory's channels where no product is settled") {
    readings r;
    r.agent.chip_id = 0x73df, r.agent.compute_units = 40;
    CHECK_FALSE(describe(r).traits.l3_bytes);
    r.driver.bus_bits = 192;
    CHECK(*describe(r).traits.l3_bytes == 96u << 20);
    r.driver.bus_bits = 0, r.agent.pool_kib = 12566528;
    CHECK(*describe(r).traits.l3_bytes == 96u << 20);
}

TEST_CASE("names of products with different chips, and generic ones, name no chip") {
    readings r;
    r.agent.marketing_name = "AMD Radeon 610M", r.agent.name = "gfx1037";
    CHECK(*describe(r).traits.gfx == "gfx1037");
    r.agent.name = {};
    CHECK_FALSE(describe(r).traits.gfx);
    r = {};
    r.agent.marketing_name = "AMD Radeon Graphics", r.agent.compute_units = 12;
    CHECK_FALSE(describe(r).traits.gfx);
}

TEST_CASE("a name is no product of a device whose count and caches say otherwise") {
    readings r = shown_as("gfx1031");
    r.agent.marketing_name = "AMD Radeon RX 6800 XT";
    CHECK(*describe(r).traits.gfx == "gfx1031");
    CHECK(*describe(r).traits.cu_count == 40);
}

TEST_CASE("a device that the table does not have is no product by elimination") {
    readings r;
    r.agent.compute_units = 72, r.agent.pool_kib = 16760832, r.agent.l3_kib = 131072;
    CHECK(*describe(r).traits.gfx == "gfx1030");
    r.agent.chip_id = 0x7fff;
    CHECK_FALSE(describe(r).traits.gfx);
    CHECK(*describe(r).traits.cu_count == 72);
}

TEST_CASE("memory is within what firmware and error correction take of a product's") {
    readings r;
    r.kernel.gfx_target_version = 100300;
    const auto units = [&](std::uint64_t mib) {
        r.sysfs.vram_total = mib << 20;
        return describe(r).traits.l3_bytes;
    };
    CHECK(*units(16368) == 128u << 20);
    CHECK(*units(30704) == 128u << 20);  // 32 GiB with error correction
    for (const std::uint64_t mib : {11469u, 13107u, 14600u, 22938u, 29400u}) CHECK_FALSE(units(mib));
}

TEST_CASE("WSL needs no /dev/kfd, and a record that is silent on /dev/dxg says nothing against it") {
    readings r;
    r.state.kfd_present = false, r.system = "wsl2";
    CHECK(describe(r).use.possible);
    r.state.kfd_errno = "ENOENT";
    CHECK(describe(r).use.possible);
    r.state.dxg_present = false;
    CHECK_FALSE(describe(r).use.possible);
    CHECK(describe(r).use.remedy.find("modprobe") == std::string::npos);
}

TEST_CASE("a CU mask in CU mode leaves as many CUs as the runtime counts") {
    readings r;
    r.kernel.gfx_target_version = 100300, r.kernel.simd_count = 144, r.kernel.simd_per_cu = 2;
    r.runtime.multiprocessors = 4, r.environment["ROC_GLOBAL_CU_MASK"] = "0xf";
    CHECK(*describe(r).traits.usable_cu_count == 8);
    r.environment["GPU_ENABLE_WGP_MODE"] = "0";
    CHECK(*describe(r).traits.usable_cu_count == 4);
    CHECK(*describe(r).traits.cu_count == 72);
}

TEST_CASE("a bus of no width is no reading") {
    readings r;
    r.pci.device = 0x73bf, r.pci.revision = 0xc1;
    r.runtime.bus_bits = 0, r.driver.bus_bits = 0, r.kernel.bank_width = 0;
    CHECK_FALSE(describe(r).traits.memory_bus_bits);
    r.kernel.bank_width = 256;
    CHECK(*describe(r).traits.memory_bus_bits == 256);
    CHECK(describe(r).traits.memory_bus_bits.corrected);
    r.kernel.bank_width = 0, r.runtime.bus_bits = 256;
    CHECK(*describe(r).traits.memory_bus_bits == 256);
}

TEST_CASE("a kernel and a PCI id that name two chips are a conflict, whichever is believed") {
    readings r;
    r.kernel.device_id = 0x744c, r.kernel.gfx_target_version = 110003;
    CHECK(*describe(r).traits.gfx == "gfx1103");
    CHECK(named(describe(r), "gfx"));
    r.kernel.gfx_target_version = 130000;  // no architecture that is known
    CHECK(*describe(r).traits.gfx == "gfx1100");
    CHECK(named(describe(r), "gfx"));
    r.kernel.gfx_target_version = 110000;
    CHECK_FALSE(named(describe(r), "gfx"));
}

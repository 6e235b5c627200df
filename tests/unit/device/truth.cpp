// Corrections on single machines: what is corrected, what is left alone, what is not guessed.
#include <doctest/doctest.h>
#include <fade/device.hpp>

using fade::describe;
using fade::truth::readings;

static_assert(fade::truth::tables_agree());

TEST_CASE("36 reported by a 6800 XT are 72 CUs, and 72 in CU mode stay 72") {
    readings r;
    r.runtime.target = "gfx1030", r.runtime.multiprocessors = 36;
    auto t = describe(r).traits;
    CHECK(*t.cu_count == 72);
    CHECK(t.cu_count.corrected);
    CHECK(*t.wgp_count == 36);
    r.runtime.multiprocessors = 72, r.environment["GPU_ENABLE_WGP_MODE"] = "0";
    t = describe(r).traits;
    CHECK(*t.cu_count == 72);
    CHECK_FALSE(t.cu_count.corrected);
}

TEST_CASE("72 without the variable is not doubled: the chip has no 144") {
    readings r;
    r.runtime.target = "gfx1030", r.runtime.multiprocessors = 72;
    CHECK(*describe(r).traits.cu_count == 72);
}

TEST_CASE("threads per multiprocessor tell CU mode from WGP mode") {
    readings r;
    r.runtime.target = "gfx1151", r.runtime.multiprocessors = 16, r.runtime.threads_per_multiprocessor = 2048;
    CHECK(*describe(r).traits.cu_count == 32);
    r.runtime.threads_per_multiprocessor = 1024;
    CHECK(*describe(r).traits.cu_count == 16);
}

TEST_CASE("a CU mask shrinks what may be used, not what exists") {
    readings r;
    r.runtime.target = "gfx1030", r.runtime.multiprocessors = 2, r.environment["ROC_GLOBAL_CU_MASK"] = "0xf";
    CHECK_FALSE(describe(r).traits.cu_count);
    r.kernel.simd_count = 144, r.kernel.simd_per_cu = 2;
    const auto t = describe(r).traits;
    CHECK(*t.cu_count == 72);
    CHECK(*t.usable_cu_count == 4);
}

TEST_CASE("a mask for every device says itself what it leaves, where no runtime was asked") {
    readings r;
    r.kernel.gfx_target_version = 100300, r.kernel.simd_count = 144, r.kernel.simd_per_cu = 2,
    r.environment["ROC_GLOBAL_CU_MASK"] = "0xFF0f";
    CHECK(*describe(r).traits.usable_cu_count == 12);
    for (const char* none : {"many", "0x0", "0xffffffffffffffffffffffffffffffffffffffff"}) {
        r.environment["ROC_GLOBAL_CU_MASK"] = none;
        CHECK_FALSE(describe(r).traits.usable_cu_count);
    }
    r.environment["ROC_GLOBAL_CU_MASK"] = "0xf", r.environment["HSA_CU_MASK"] = "0:0-7";
    CHECK_FALSE(describe(r).traits.usable_cu_count);
}

TEST_CASE("variables that change answers are told, others are not") {
    readings r;
    r.environment = {{"HSA_OVERRIDE_GFX_VERSION_1", "10.3.0"},
                     {"HIP_VISIBLE_DEVICES", "1"},
                     {"GPU_DEVICE_ORDINAL", ""},
                     {"HOME", "/root"}};
    const auto notes = describe(r).notes;
    REQUIRE(notes.size() == 2);
    CHECK(notes[0].starts_with("HIP_VISIBLE_DEVICES=1: "));
    CHECK(notes[1].starts_with("HSA_OVERRIDE_GFX_VERSION_1=10.3.0: "));
}

TEST_CASE("the wave size is never changed") {
    readings r;
    r.runtime.target = "gfx1030", r.runtime.warp_size = 32;
    const auto t = describe(r).traits;
    CHECK(*t.wavefront_native == 32);
    CHECK_FALSE(t.wavefront_native.corrected);
    CHECK(*t.wavefront_supported == std::vector<std::uint64_t>{32, 64});
}

TEST_CASE("a spoofed name is seen through where the kernel answers, and doubted where it does not") {
    readings r;
    r.runtime.target = "gfx1100", r.environment["HSA_OVERRIDE_GFX_VERSION"] = "11.0.0";
    CHECK_FALSE(describe(r).traits.gfx);
    r.kernel.gfx_target_version = 110002;
    const auto d = describe(r);
    CHECK(*d.traits.gfx == "gfx1102");
    CHECK(*d.traits.vgpr_bytes_per_simd == 131072);
    CHECK(d.conflicts.size() == 1);
}

TEST_CASE("a name that its wave size contradicts is not believed") {
    readings r;
    r.agent.name = "gfx1030", r.agent.wavefront_size = 64;
    CHECK_FALSE(describe(r).traits.gfx);
}

TEST_CASE("partitions of one package: share of CUs, dies, caches") {
    readings r;
    r.kernel.gfx_target_version = 90402, r.kernel.device_id = 0x74a1, r.kernel.simd_count = 152,
    r.kernel.simd_per_cu = 4, r.kernel.num_xcc = 1;
    const auto t = describe(r).traits;
    CHECK(*t.cu_count == 38);
    CHECK(*t.partition == "CPX");
    CHECK(*t.package_cu_count == 304);
    CHECK(*t.l2_bytes_total == 4u << 20);
    CHECK_FALSE(t.l3_bytes);
    CHECK(*t.l3_bytes_shared_by_package == 256u << 20);
}

TEST_CASE("one die's L2 is not the device's") {
    readings r;
    r.runtime.target = "gfx942:sramecc+:xnack-", r.runtime.multiprocessors = 304,
    r.runtime.l2_bytes = 4u << 20;
    const auto t = describe(r).traits;
    CHECK(*t.l2_bytes_total == 32u << 20);
    CHECK(t.l2_bytes_total.corrected);
}

TEST_CASE("decimal versions print their step in hexadecimal") {
    CHECK(fade::truth::gfx_name(90010) == "gfx90a");
    CHECK(fade::truth::gfx_name(90012) == "gfx90c");
    CHECK(fade::truth::gfx_name(110501) == "gfx1151");
    CHECK(fade::truth::gfx_name(~0ull).empty());
}

TEST_CASE("each errno has its sentence") {
    readings r;
    std::string last;
    for (const char* name :
         {"ENOENT", "EACCES", "EPERM", "ENOMEM", "EINVAL", "ENODEV", "EBUSY", "ESOMETHING"}) {
        r.state.kfd_errno = name;
        const auto use = describe(r).use;
        CHECK_FALSE(use.possible);
        CHECK(use.why != last);
        CHECK_FALSE(use.remedy.empty());
        last = use.why;
    }
    r.state.dxg_present = true;
    CHECK(describe(r).use.possible);
}

TEST_CASE("another vendor's device is described by its runtime, and nothing of AMD's is said of it") {
    readings r;
    r.runtime.name = "NVIDIA H200", r.runtime.multiprocessors = 132, r.runtime.warp_size = 32,
    r.runtime.major = 9, r.runtime.minor = 0;
    const auto d = describe(r);
    CHECK(d.arch == "sm_90");
    CHECK(d.backend == "cuda");
    CHECK(*d.traits.cu_count == 132);
    CHECK_FALSE(d.traits.wgp_count);
    CHECK_FALSE(d.traits.gfx);
}

TEST_CASE("an old kernel's 11 CUs of a Raven are not believed, 8 of its product are") {
    readings r;
    r.kernel.simd_count = 44, r.kernel.simd_per_cu = 4, r.kernel.gfx_target_version = 90002;
    CHECK_FALSE(describe(r).traits.cu_count);
    readings through;
    through.runtime.target = "gfx902", through.runtime.multiprocessors = 11;
    CHECK_FALSE(describe(through).traits.cu_count);
    r.pci.device = 0x15dd, r.pci.revision = 0xc8;
    CHECK(*describe(r).traits.cu_count == 8);
}

TEST_CASE("Renoir under its elder's name") {
    readings r;
    r.agent.name = "gfx902", r.agent.chip_id = 0x1636, r.agent.compute_units = 27;
    CHECK(*describe(r).traits.gfx == "gfx90c");
    CHECK_FALSE(describe(r).traits.cu_count);
}

TEST_CASE("a runtime is joined with the machine by PCI address, and with partitions that are alike") {
    readings card, other;
    card.pci.slot = "0000:03:00.0", card.kernel.simd_count = 144, card.kernel.simd_per_cu = 2;
    other.pci.slot = "0000:09:00.0", other.kernel.simd_count = 4, other.kernel.simd_per_cu = 2;
    fade::backend::device_reading said;
    said.target = "gfx1030", said.multiprocessors = 2, said.pci_bus = 3;
    CHECK(*fade::describe_joined(said, {other, card}).traits.cu_count == 72);
    CHECK(*fade::describe_joined(said, {card, other}).traits.cu_count == 72);
    CHECK(fade::describe_joined(said, {card, other}).slot == "0000:03:00.0");
    CHECK(fade::describe_joined(said, {}).slot == "0000:03:00");
    CHECK(*fade::live::at_address({card, card}, "0000:03:00").kernel.simd_count == 144);
    other.pci.slot = "0000:03:00.1";
    CHECK(fade::live::at_address({card, other}, "0000:03:00").kernel.simd_count == std::nullopt);
}

TEST_CASE("peak rates and bandwidth are the vendor's figures, with their formula") {
    readings r;
    r.pci.device = 0x74a1, r.pci.revision = 0;
    r.kernel.gfx_target_version = 90402, r.kernel.simd_count = 1216, r.kernel.simd_per_cu = 4,
    r.kernel.num_xcc = 8, r.kernel.max_engine_mhz = 2100;
    r.kernel.bank_width = 8192, r.kernel.bank_clock_mhz = 1300;
    const auto t = describe(r).traits;
    CHECK(*t.peak_fp32_tflops == doctest::Approx(163.4).epsilon(0.001));
    CHECK(*t.peak_bf16_matrix_tflops == doctest::Approx(1307.4).epsilon(0.001));
    CHECK(*t.peak_fp8_matrix_tflops == doctest::Approx(2614.9).epsilon(0.001));
    CHECK(*t.memory_bandwidth_gb_s == doctest::Approx(5324.8));
    CHECK(t.peak_fp8_matrix_tflops.why == "304 CUs x 4096 fp8 matrix FLOP per CU and clock x 2100 MHz");
    CHECK(t.peak_fp8_matrix_tflops.source == "derived");
    r = {};
    r.kernel.gfx_target_version = 110000, r.kernel.simd_count = 192, r.kernel.simd_per_cu = 2,
    r.kernel.max_engine_mhz = 2500;
    CHECK(*describe(r).traits.peak_fp16_matrix_tflops == doctest::Approx(122.9).epsilon(0.001));
    CHECK_FALSE(describe(r).traits.peak_fp8_matrix_tflops);
}

TEST_CASE("this CPU through the same interface") {
    const auto d = fade::live::describe_cpu();
    CHECK(d.backend == "host");
    CHECK(*d.traits.cu_count >= 1);
    CHECK(*d.traits.memory_total_bytes > *d.traits.memory_usable_bytes);
    CHECK_FALSE(d.traits.gfx);
    CHECK(d.traits.gfx.why == "this device is a CPU");
}

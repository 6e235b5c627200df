// A sysfs tree, made here: joining by PCI address, partitions, files that are absent or malformed.
#include <doctest/doctest.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <fade/device.hpp>

namespace {

namespace fs = std::filesystem;

class folder {
public:
    folder() {
        char name[] = "/tmp/fade-sysfs-XXXXXX";
        path_ = ::mkdtemp(name);
    }
    ~folder() { fs::remove_all(path_); }
    void write(const std::string& name, const std::string& text) const {
        fs::create_directories(fs::path(path_ + "/" + name).parent_path());
        std::ofstream(path_ + "/" + name) << text;
    }
    fade::live::tree tree() const { return fade::live::tree(path_); }

private:
    std::string path_;
};

const std::string nodes = "class/kfd/kfd/topology/nodes/", pci = "bus/pci/devices/";

void add_card(const folder& f) {
    f.write(pci + "0000:03:00.0/vendor", "0x1002\n"), f.write(pci + "0000:03:00.0/class", "0x030000\n");
    f.write(pci + "0000:03:00.0/device", "0x73bf\n"), f.write(pci + "0000:03:00.0/revision", "0xc1\n");
    f.write(pci + "0000:03:00.0/mem_info_vram_total", "17163091968\n");
}

}  // namespace

TEST_CASE("a node and a PCI function at one address are one device") {
    folder f;
    add_card(f);
    f.write(nodes + "0/properties", "cpu_cores_count 16\nsimd_count 0\n");
    f.write(nodes + "1/properties", "simd_count 144\nsimd_per_cu 2\ngfx_target_version 100300\nlocation_id 768\ndomain 0\ndevice_id 29631\n");
    f.write(nodes + "1/caches/0/properties", "level 2\nsize 4096\n");
    const auto all = fade::live::read_tree(f.tree());
    REQUIRE(all.size() == 1);
    const auto d = fade::describe(all[0]);
    CHECK(d.name == "AMD Radeon RX 6800 XT");
    CHECK(*d.traits.cu_count == 72);
    CHECK(d.traits.l2_bytes_total.source == "kfd");
    CHECK(*d.traits.memory_total_bytes == 17163091968ull);
}

TEST_CASE("without a compute driver PCI still describes the card") {
    folder f;
    add_card(f);
    const auto all = fade::live::read_tree(f.tree());
    REQUIRE(all.size() == 1);
    CHECK(*fade::describe(all[0]).traits.cu_count == 72);
    CHECK(fade::describe(all[0]).traits.cu_count.source == fade::truth::product_table);
}

TEST_CASE("partitions share a card and differ in function bits") {
    folder f;
    f.write(pci + "0000:05:00.0/vendor", "0x1002"), f.write(pci + "0000:05:00.0/class", "0x120000"), f.write(pci + "0000:05:00.0/device", "0x74a1"), f.write(pci + "0000:05:00.0/revision", "0x00");
    for (int i = 0; i < 8; ++i)
        f.write(nodes + std::to_string(i + 2) + "/properties", "simd_count 152\nsimd_per_cu 4\nnum_xcc 1\ngfx_target_version 90402\ndomain 0\nlocation_id " + std::to_string(1280 + i) + "\n");
    const auto all = fade::live::read_tree(f.tree());
    REQUIRE(all.size() == 8);
    CHECK(*all[7].pci.slot == "0000:05:00.7");
    CHECK(*fade::describe(all[7]).traits.partition == "CPX");
}

TEST_CASE("malformed files are absent") {
    folder f;
    add_card(f);
    f.write(pci + "0000:03:00.0/revision", "garbage"), f.write(nodes + "1/properties", "simd_count 99999999999999999999999\nsimd_per_cu\n\n x 1\n");
    f.write(pci + "0000:03:00.0/mem_info_vram_total", "-5");
    const auto all = fade::live::read_tree(f.tree());
    REQUIRE(all.size() == 1);
    CHECK_FALSE(all[0].pci.revision);
    CHECK_FALSE(fade::describe(all[0]).traits.memory_total_bytes);
}

TEST_CASE("the id table: first match wins, a malformed row costs only itself") {
    const std::string table = "# comment\n\n1.0.0\n73BF,\tC1,\tAMD Radeon RX 6800 XT\nbroken\n73BF,\tC1,\tsecond\n73BF,\tC3,\tAMD Radeon RX 6800\r\n";
    CHECK(fade::live::marketing_name(table, 0x73bf, 0xc1) == "AMD Radeon RX 6800 XT");
    CHECK(fade::live::marketing_name(table, 0x73bf, 0xc3) == "AMD Radeon RX 6800");
    CHECK_FALSE(fade::live::marketing_name(table, 0x73bf, 0xff));
    CHECK_FALSE(fade::live::marketing_name("73BF", 0x73bf, 0));
}

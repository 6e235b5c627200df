// Any bytes as amdgpu.ids, as the user's file and as the files of a sysfs tree.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fade/device/live/machine.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace {

/// A folder for this process, gone at its end.
class made_folder {
public:
    made_folder() {
        char name[] = "/tmp/fade-fuzz-XXXXXX";
        path = ::mkdtemp(name);
        for (const char* below :
             {"/class/kfd/kfd/topology/nodes/1/caches/0", "/class/kfd/kfd/topology/nodes/1/mem_banks/0",
              "/bus/pci/devices/0000:03:00.0"})
            std::filesystem::create_directories(path + below);
        std::ofstream(path + "/bus/pci/devices/0000:03:00.0/vendor") << "0x1002";
        std::ofstream(path + "/bus/pci/devices/0000:03:00.0/class") << "0x030000";
    }
    ~made_folder() { std::filesystem::remove_all(path); }
    std::string path;
};

const std::string& folder() {
    static const made_folder made;
    return made.path;
}

void write(const std::string& name, const std::string& text) {
    std::ofstream(folder() + name, std::ios::binary) << text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (std::uint64_t revision : {0u, 0xc1u})
        static_cast<void>(fade::live::marketing_name(text, 0x73bf, revision));
    try {
        static_cast<void>(fade::live::user_config::parse(text, "input").of("0000:03:00.0"));
    } catch (const fade::error&) {
    }
    static std::uint64_t turn = 0;
    if (++turn % 16 != 0) return 0;  // files are slow: each sixteenth input is also a tree
    const std::size_t half = text.size() / 2;
    write("/class/kfd/kfd/topology/nodes/1/properties", text),
        write("/class/kfd/kfd/topology/nodes/1/caches/0/properties", text.substr(half));
    write("/class/kfd/kfd/topology/nodes/1/mem_banks/0/properties", text.substr(0, half)),
        write("/bus/pci/devices/0000:03:00.0/device", text.substr(0, half));
    write("/bus/pci/devices/0000:03:00.0/revision", text.substr(half));
    for (const auto& r : fade::live::read_tree(fade::live::tree(folder())))
        static_cast<void>(fade::describe(r));
    return 0;
}

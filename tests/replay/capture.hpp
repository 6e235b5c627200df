// A folder that a replayer of machine code reads: launch.json, the memory before, and what must be there
// after.
#pragma once
#include <dlfcn.h>
#include <fade/device/gemm_plan.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fade::replay {

namespace fs = std::filesystem;

/// Words of JSON; all strings here are names, which need no escapes.
inline std::string quoted(const std::string& s) { return '"' + s + '"'; }
inline std::string joined(const std::vector<std::string>& all) {
    std::string out;
    for (const auto& s : all) out += (out.empty() ? "" : ",\n  ") + s;
    return "[" + out + "]";
}
inline std::string triple(const int (&v)[3]) {
    return "[" + std::to_string(v[0]) + ", " + std::to_string(v[1]) + ", " + std::to_string(v[2]) + "]";
}

inline std::string hex(const std::vector<std::byte>& bytes) {
    std::string out;
    for (const std::byte b : bytes)
        for (const int shift : {4, 0}) out += "0123456789abcdef"[(std::to_integer<int>(b) >> shift) & 15];
    return out;
}

/// The kernel's name in the code object; the program exports the symbols of its stubs, which bear it.
inline std::string symbol_of(const void* entry) {
    Dl_info info{};
    if (!dladdr(entry, &info) || !info.dli_sname || info.dli_saddr != entry)
        throw std::runtime_error("a kernel's entry has no exported symbol");
    return info.dli_sname;
}

class capture {
public:
    explicit capture(fs::path folder) : folder_(std::move(folder)) { fs::create_directories(folder_); }

    /// Memory that a launch may touch, with what it holds now.
    void memory(const std::string& name, const void* at, std::size_t bytes, const std::string& role) {
        if (bytes == 0) return;
        write(name + ".bin", at, bytes);
        buffers_.push_back("{\"name\": " + quoted(name) +
                           ", \"address\": " + std::to_string(reinterpret_cast<std::uintptr_t>(at)) +
                           ", \"bytes\": " + std::to_string(bytes) + ", \"role\": " + quoted(role) +
                           ", \"before\": " + quoted(name + ".bin") + "}");
    }
    void launch(const std::string& arch, const planned_launch& l) {
        if (!l.entry)
            throw std::runtime_error(folder_.string() + " launches a kernel that launched.hpp leaves out");
        launches_.push_back("{\"arch\": " + quoted(arch) + ", \"symbol\": " + quoted(symbol_of(l.entry)) +
                            ", \"grid\": " + triple(l.grid) + ", \"block\": " + triple(l.block) +
                            ", \"dynamic_lds\": " + std::to_string(l.dynamic_lds) +
                            ", \"kernarg\": " + quoted(hex(l.kernarg)) + "}");
    }
    /// ||got - values|| <= bound ||values||, NaN where values has it.
    void expect(const std::string& name, const std::string& type, const std::vector<double>& values,
                double bound) {
        write(name + "_expected.bin", values.data(), values.size() * sizeof(double));
        char text[32];
        std::snprintf(text, sizeof text, "%.9g", bound);
        expected_.push_back("{\"buffer\": " + quoted(name) + ", \"dtype\": " + quoted(type) +
                            ", \"file\": " + quoted(name + "_expected.bin") +
                            ", \"file_dtype\": \"f64\", \"bound\": " + text + "}");
    }
    void close() const {
        std::ofstream(folder_ / "launch.json")
            << "{\"schema\": 1,\n \"buffers\": " << joined(buffers_)
            << ",\n \"launches\": " << joined(launches_) << ",\n \"expect\": " << joined(expected_) << "}\n";
    }

private:
    void write(const std::string& name, const void* from, std::size_t bytes) const {
        std::ofstream file(folder_ / name, std::ios::binary);
        file.write(static_cast<const char*>(from), std::streamsize(bytes));
        if (!file.flush()) throw std::runtime_error("cannot write " + (folder_ / name).string());
    }
    fs::path folder_;
    std::vector<std::string> buffers_, launches_, expected_;
};

template <class V>
void keep(capture& to, const std::string& name, const V& values, const std::string& role) {
    to.memory(name, values.data(), values.size() * sizeof(values[0]), role);
}

}  // namespace fade::replay

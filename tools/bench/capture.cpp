#include "capture.hpp"
#include <nlohmann/json.hpp>

namespace fade::bench {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* list_of_all = "launch.json";

json launch_of(const launch& l, std::string_view arch) {
    std::string hex;
    for (std::byte b : l.kernarg)
        for (int shift : {4, 0}) hex += "0123456789abcdef"[(std::to_integer<int>(b) >> shift) & 15];
    return {{"arch", arch},     {"symbol", l.symbol},           {"grid", l.grid},
            {"block", l.block}, {"dynamic_lds", l.dynamic_lds}, {"kernarg", hex}};
}

}  // namespace

void prepare_capture(const request& asked, const device_choice& device, const std::vector<runner_key>& held) {
    if (device.arch.empty())
        throw tools::refusal("--capture writes launches of an emulated:ARCH device, and not of " +
                             device.name + ".");
    if (!holds_compiled_code(held))
        throw tools::refusal(
            "--capture needs compiled code for AMD GPUs; scripts/build hip makes a fade-bench that has it.");
    static_cast<void>(tools::whole_folder("--capture", *asked.capture, list_of_all));
}

capture::capture(const std::string& folder, std::string arch)
    : folder_("--capture", folder, list_of_all), arch_(std::move(arch)),
      out_(new json{{"schema", 1},
                    {"buffers", json::array()},
                    {"launches", json::array()},
                    {"expect", json::array()}}) {}

capture::~capture() = default;

void capture::add_buffer(const buffer& b, const std::string& suffix) {
    const matrix& m = b.shape();
    const std::string name = m.name + suffix;
    json one{{"name", name},
             {"address", reinterpret_cast<std::uintptr_t>(b.data())},
             {"bytes", m.bytes()},
             {"role", m.written ? "out" : "in"}};
    if (!m.written) {
        one["before"] = name + ".bin";
        folder_.write(name + ".bin", b.data(), m.bytes());
    }
    (*out_)["buffers"].push_back(one);
}

void capture::add_buffers(const buffer_set& buffers, const std::string& suffix) {
    for (const buffer& b : buffers.all()) add_buffer(b, suffix);
}

void capture::add_launches(const captured_choice& c, const std::string& suffix) {
    if (c.workspace)
        (*out_)["buffers"].push_back({{"name", "workspace" + suffix},
                                      {"address", reinterpret_cast<std::uintptr_t>(c.workspace.get())},
                                      {"bytes", c.choice.workspace_bytes},
                                      {"role", "scratch"}});
    for (const launch& l : c.choice.launches) (*out_)["launches"].push_back(launch_of(l, arch_));
}

void capture::expect(const buffer& output, const std::vector<double>& values, double bound,
                     const std::string& suffix) {
    const std::string name = output.shape().name + suffix, file = name + "_expected.bin";
    folder_.write(file, values.data(), values.size() * sizeof(double));
    (*out_)["expect"].push_back({{"buffer", name},
                                 {"dtype", output.shape().type->name},
                                 {"file", file},
                                 {"file_dtype", "f64"},
                                 {"bound", bound}});
}

void capture::write() const {
    const std::string text = out_->dump(1);
    folder_.write(list_of_all, text.data(), text.size());
    folder_.finish();
}

std::vector<double> untouched_values(const matrix& m) {
    const std::vector<std::byte> untouched(8, std::byte{0xa5});
    std::vector<double> out(m.count());
    if (!m.empty()) m.type->decode(untouched.data(), 0, 0, m.count(), out.data());
    return out;
}

}  // namespace fade::bench

#include "common/refusal.hpp"
#include "tune/workload.hpp"
#include <charconv>

namespace fade::tools {

namespace {
class host_calls final : public timed_device {
public:
    explicit host_calls(int threads) : device_(threads) {}
    std::unique_ptr<workload> make(const work& w) override {
        return std::visit([&](const auto& one) { return make_workload(device_, one); }, w);
    }
    std::string dtype() const override { return "f32"; }
    bool shares_k() const override { return false; }
    double seconds_to_fill(double numbers) const override { return numbers * 6e-9; }

private:
    host_device device_;
};
}  // namespace

std::unique_ptr<timed_device> timed_host(int threads) { return std::make_unique<host_calls>(threads); }

std::unique_ptr<timed_device> timed_device_of(std::string_view device, std::string_view dtype, int threads,
                                              const std::optional<kernels_on_demand>& kernels) {
    if (device == "host") {
        if (!dtype.empty() && dtype != "f32")
            throw refusal("--dtype is " + tools::quoted(dtype) + ", but the host is timed in f32 alone.");
        return timed_host(threads);
    }
    if (dtype.empty()) dtype = "f16";
    std::string there = "host in f32";
    for (const gpu_kind& one : gpu_kinds()) {
        there += ", " + std::string(one.kind) + ":NUMBER in " + std::string(one.dtype);
        int number = 0;
        const std::size_t colon = one.kind.size();
        const char* const end = device.data() + device.size();
        if (one.dtype == dtype && device.starts_with(one.kind) && device.size() > colon + 1 &&
            device[colon] == ':' && std::from_chars(device.data() + colon + 1, end, number).ptr == end &&
            number >= 0)
            return one.open(number, kernels);
    }
    throw refusal("--device is " + tools::quoted(device) + " and --dtype " + tools::quoted(dtype) +
                  ", but this fade-tune times " + there + "; --model ARCH ranks for an AMD architecture.");
}

}  // namespace fade::tools

// Tuning that compiles its candidates by NVRTC, on one GPU: what bench/tune_compiled.cu and
// bench/tune_compiled_attention.cu have in common.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <fade/device/tune/attention.hpp>
#include <fade/device/tune/compiling.hpp>
#include <filesystem>
#include <random>

using namespace fade;
using extent = fade::index;
using gpu = compiling<cuda_device>;

/// Random numbers on the GPU.
class tensor {
public:
    tensor(gpu& device, extent count)
        : device_(device), data_(static_cast<f16*>(device.allocate(std::size_t(count) * sizeof(f16)))) {
        static std::mt19937 draw{std::random_device{}()};
        std::uniform_real_distribution<float> any(-1, 1);
        std::vector<f16> numbers(1048573);
        for (f16& x : numbers) x = to_f16(any(draw));
        for (extent at = 0; at < count; at += extent(numbers.size()))
            device.copy_to_device(data_ + at, numbers.data(),
                                  std::min(numbers.size(), std::size_t(count - at)) * sizeof(f16));
        device.synchronize();
    }
    ~tensor() { device_.release(data_); }
    tensor(const tensor&) = delete;
    f16* data() const { return data_; }

private:
    gpu& device_;
    f16* data_;
};

struct clock_of_run {
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
};

/// A cache of its own, so that nothing is there yet.
struct places {
    std::string include, folder;
    std::string fresh(const std::string& name) const {
        std::filesystem::create_directory(folder + "/" + name);
        std::filesystem::permissions(folder + "/" + name, std::filesystem::perms(0700));
        return folder + "/" + name;
    }
};

inline void print(const char* what, const tuning& t, double budget, double took) {
    int printed = 0;
    for (const refused_policy& r : t.refused)
        if (printed++ < 3) std::printf("    refused: %s %s\n", r.policy.c_str(), r.why.c_str());
    std::printf("%s: budget %.2f s, took %.3f s (%+.1f %%); %d compiled, %zu refused, %d timed, whole %d; "
                "model %.2f us, row %.2f us, gain %.3f; %s\n",
                what, budget, took, 100 * (took / budget - 1), t.compiled, t.refused.size(), t.candidates,
                int(t.whole), t.model_nanoseconds / 1e3, t.row.nanoseconds / 1e3,
                t.model_nanoseconds / t.row.nanoseconds, t.row.policy.c_str());
    std::fflush(stdout);
}

// Runs a kernel that this program does not hold: a policy of our own is compiled when a call asks for it,
// kept on the disk, and launched in the place of the program's. Here the device is an emulated Radeon and the
// compiler $CXX or c++; on a GPU it is fade::compiling<fade::cuda_device> device(kernels, 0) by NVRTC, or
// hip_device by hipRTC, with no compiler named. Where the kernel cannot be had, the call says why, and runs
// as the model chose.
//   example-kernels_on_demand [folder of FADE's headers]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fade/device/emulated_device.hpp>
#include <fade/device/tune/compiling.hpp>
#include <fade/norm.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace {

/// Answers each call with one policy. A fade::tuning_database does so from rows that were timed.
struct one_policy : fade::tuned_policies {
    std::string policy;
    fade::tuned_policy find(const fade::tuning_problem&, const fade::tuning_machine&) const override {
        return {.match = fade::tuned_match::exact,
                .policy = policy,
                .why = "the example has a policy",
                .evidence = "none: the example's own"};
    }
};

bool normalised(const std::vector<float>& y, int columns) {
    double squares = 0;
    for (int i = 0; i < columns; ++i) squares += double(y[std::size_t(i)]) * y[std::size_t(i)];
    return std::abs(squares / columns - 1) < 1e-3;
}

}  // namespace

int main(int count, char** words) {
    // A program of yours leaves `folder` empty, which is fade/modules in ~/.cache.
    std::string folder = (std::filesystem::temp_directory_path() / "fade-example-XXXXXX").string();
    if (!::mkdtemp(folder.data())) return 1;
    int result = 0;
    try {
        const char* const cxx = std::getenv("CXX");
        fade::tune::kernel_cache kernels(
            {.compiler = cxx ? cxx : "c++", .include = count > 1 ? words[1] : "include", .folder = folder});
        fade::compiling<fade::emulated_device<fade::arch::gfx1100>> device(kernels);
        constexpr int rows = 3, columns = 500;
        std::vector<float> x(rows * columns), y(rows * columns);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i % 17) - 8;
        const fade::norm_operands<float> operands{.x = x.data(), .weight = nullptr, .y = y.data()};

        one_policy mine;  // two waves share a row, and each lane moves four elements three times
        mine.policy = fade::tune::policy_json(
            fade::row_policy{.waves = 2, .shared_row = true, .run = 4, .runs = 3, .waves_per_simd = 8});
        for (const char* when : {"first", "then"}) {
            const fade::report said =
                fade::rms_norm<float>(device, {.rows = rows, .columns = columns}, operands, {}, &mine);
            std::printf("%s: %s\n", when, said.why.c_str());
            if (!normalised(y, columns)) result = 1;
        }
    } catch (const fade::error& e) {
        std::fprintf(stderr, "%s\n", e.what());
        result = 1;
    }
    std::filesystem::remove_all(folder);
    return result;
}

// Times the ways to cut one product on this CPU, keeps the fastest in a database, and lets later calls use
// it.
#include <cstdio>
#include <cstdlib>
#include <fade/gemm.hpp>
#include <fade/tune.hpp>
#include <filesystem>
#include <string>
#include <vector>

int main() {
    // A program of yours keeps this file: "$HOME/.cache/my-program/tuning.db", say.
    std::string folder = (std::filesystem::temp_directory_path() / "fade-example-XXXXXX").string();
    if (!::mkdtemp(folder.data())) return 1;
    int result = 0;
    try {
        fade::tuning_database database({.user = folder + "/tuning.db", .system = {}});
        fade::host_device device(1);
        const fade::gemm_problem problem{.m = 192, .n = 160, .k = 128};
        std::vector<float> a(192 * 128, 0.5f), b(128 * 160, 2.0f), d(192 * 160);
        const fade::gemm_operands<float> operands{.a = a.data(), .b = b.data(), .d = d.data()};

        const fade::tuning found =
            fade::tune_gemm<float>(device, problem, operands, database, std::chrono::milliseconds(200));
        std::printf("%d candidates; the model's choice takes %.1f us, the fastest %.1f us, and is %s\n",
                    found.candidates, found.model_nanoseconds / 1e3, found.row.nanoseconds / 1e3,
                    found.kept ? "kept" : "not kept");

        const fade::report said = fade::gemm<float>(device, problem, operands, {}, {.tuned = &database});
        std::printf("%s\n%s\n", said.why.c_str(), said.evidence.c_str());
        if (d[0] != 128.0f || d.back() != 128.0f) result = 1;
    } catch (const fade::error& e) {
        std::fprintf(stderr, "%s\n", e.what());
        result = 1;
    }
    std::filesystem::remove_all(folder);
    return result;
}

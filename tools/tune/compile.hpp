// fade-tune run --compile: candidates that the user's compiler makes while a budget lasts.
#pragma once
#include "tune/list.hpp"
#include <chrono>
#include <fade/tune/module/cache.hpp>
#include <string>
#include <vector>

namespace fade::tools {

/// For which device, by which compiler, and where what is found goes.
struct compile_options {
    std::string device;         ///< emulated:ARCH, hip:NUMBER, or hip for GPUs that are elsewhere
    std::string arch;           ///< of a GPU, as compilers call it
    std::string dtype = "f16";  ///< of A, B and D
    std::string database;       ///< empty for emulated devices, which have no speed
    std::string candidates;     ///< a file of policies beside the model's, a line of JSON each; may be empty
    int model_candidates = 24;  ///< of the model's, at most
    module_options modules{};
    std::chrono::duration<double> budget{1};  ///< of all calls
    int threads = 1;                          ///< of an emulated device
    int compute_units = 0;                    ///< of a device that is emulated or elsewhere; 0: 64
    bool json = false;
};

/// Compiles candidates for the products of a list, checks what each computes, and times those of a GPU;
/// prints a line a call. What won twice is in the database. Throws refusal for a device, type, list of
/// candidates or headers that cannot be, and fade::error for what module_cache refuses.
void compile_list(const std::vector<listed_call>& list, const compile_options& options);

/// The policies of a file, a line of JSON each; none where it has no name. Throws refusal for any other line.
std::vector<gemm_policy> policies_of(const std::string& file);

}  // namespace fade::tools

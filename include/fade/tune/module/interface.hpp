// What a module gives: a product by one policy, compiled when a program ran. Both sides are compiled from the
// same headers, which `key` says; no C++ type with code of its own passes between them.
#pragma once
#include <cstddef>
#include <fade/kernel/gemm/problem.hpp>

namespace FADE_NAMESPACE::tune {

/// Room for words, which end in 0.
struct module_words {
    char* text;
    std::size_t room;
};

/// The device that a module opens: threads and compute units of an emulated one, number and stream of a GPU.
struct module_target {
    int number = 0;         ///< of a GPU
    int threads = 1;        ///< of an emulated device
    int compute_units = 0;  ///< 0: as the device says
    void* stream = nullptr;
    /// Are all fields equal?
    bool operator==(const module_target&) const = default;
};

/// The operands of a product: memory of the device.
struct module_operands {
    const void *a, *b, *c;
    void* d;
};

/// Functions return false, or null, where they fail, and say why. A device serves one thread at a time.
struct gemm_module {
    const char* key;                                    ///< what it was made of
    const char *fingerprint, *compiler, *version;       ///< its build, as rows have it
    void* (*open)(const module_target&, module_words);  ///< a device
    void (*close)(void* device);
    bool (*describe)(void* device, module_words name, module_words arch, module_words traits);
    void* (*allocate)(void* device, std::size_t bytes, module_words why);
    void (*release)(void* device, void* memory);
    bool (*copy)(void* device, void* to, const void* from, std::size_t bytes, bool to_host, module_words why);
    /// The product is done on return where `waits`, else queued.
    bool (*multiply)(void* device, const gemm_problem&, const module_operands&, int split_k, bool waits,
                     module_words why);
};

/// The name of the function that gives it: gemm_module*().
inline constexpr const char* module_entry = "fade_gemm_module";

}  // namespace FADE_NAMESPACE::tune

// A product in the memory of a module's device, and whether what was computed is right.
#pragma once
#include <fade/core/dtype.hpp>
#include <fade/tune/module/interface.hpp>
#include <string>
#include <vector>

namespace fade::tools {

/// One device and one product, by any module of the same kind. Throws fade::error where the device fails.
class module_product {
public:
    module_product(const tune::gemm_module& module, const tune::module_target& target, const gemm_problem& p,
                   dtype type);
    ~module_product();
    module_product(const module_product&) = delete;
    module_product& operator=(const module_product&) = delete;

    /// Runs it to its end. Empty, or why the module refused.
    std::string run(const tune::gemm_module& module);
    /// Why elements of D that are drawn are not the product; empty where they are. `run` wrote D.
    std::string fault();

    std::string name, arch, traits;  ///< of the device

private:
    struct opened {
        const tune::gemm_module* module;
        void* device;
    };
    void* device_of(const tune::gemm_module& module);
    void* copied(const std::vector<char>& from);

    tune::module_target target_;
    gemm_problem problem_;
    dtype type_;
    std::vector<char> a_, b_, d_;
    std::vector<opened> devices_;  // the first has the memory
    void *at_a_ = nullptr, *at_b_ = nullptr, *at_d_ = nullptr;
};

}  // namespace fade::tools

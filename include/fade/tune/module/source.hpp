// The source of a module, and the words that compile it.
#pragma once
#include <fade/arch/arch_list.hpp>
#include <fade/core/dtype_names.hpp>
#include <fade/core/error.hpp>
#include <fade/core/version.hpp>
#include <fade/tune/gemm/select.hpp>
#include <optional>
#include <string>
#include <vector>

namespace FADE_NAMESPACE::tune {

/// The devices that modules are compiled for.
enum class module_device { emulated, hip };

/// What a module shall hold: the product of one reading by one policy, or as a call without one has it. D has
/// the type of A and B.
struct module_request {
    module_device device = module_device::emulated;
    std::string arch;  ///< as compilers call it
    dtype type = dtype::f16;
    operand_access access = operand_access::nt;
    std::optional<gemm_policy> policy{};  ///< none: the table's, by which the model chooses
};

namespace detail {

inline std::string value_in_source(const char*, int value) { return std::to_string(value); }
inline std::string value_in_source(const char*, const tile_shape& t) {
    return "{" + std::to_string(t.m) + ", " + std::to_string(t.n) + ", " + std::to_string(t.k) + "}";
}
template <class Choice>
    requires std::is_enum_v<Choice>
std::string value_in_source(const char* field, Choice value) {
    return std::string("decltype(fade::gemm_policy::") + field + ")(" + std::to_string(int(value)) + ")";
}

inline std::string policy_in_source(const gemm_policy& policy) {
    std::string out;
    each_field(policy, [&](const char* field, const auto& value) {
        out += std::string(out.empty() ? "{." : ", .") + field + " = " + value_in_source(field, value);
    });
    return out + "}";
}

inline std::string type_in_source(dtype type) {
    if (type == dtype::f32) return "float";
    if (type == dtype::f16 || type == dtype::bf16) return std::string("fade::") + name(type);
    throw error("type", name(type), "modules are compiled for f32, f16 and bf16");
}

}  // namespace detail

/// Throws fade::error for an architecture that FADE does not have, and for other types.
inline std::string module_source(const module_request& r) {
    if (!arch::with_arch(arch::amd{}, r.arch, [](auto) {}))
        throw error("arch", "'" + r.arch + "'", "modules are compiled for the AMD architectures of FADE");
    const std::string type = detail::type_in_source(r.type);
    std::string kernels = "fade::only(fade::operand_access::" + std::string(name(r.access)) + ")";
    if (r.policy) kernels = "fade::with_policy(" + detail::policy_in_source(*r.policy) + ", " + kernels + ")";
    const std::string device = r.device == module_device::hip
                                   ? std::string("fade::") + "hip_device"
                                   : "fade::emulated_device<fade::arch::" + r.arch + ">";
    return "// A product by one policy. FADE " FADE_VERSION " wrote and compiled this.\n"
           "#include"
           " <fade/device/tune/module_gemm.hpp>\n"
           "extern \"C\" __attribute__((visibility(\"default\"))) const fade::tune::gemm_module* "
           "fade_gemm_module() {\n    return fade::module_gemm<" +
           device + ", " + type + ", " + type + ",\n        " + kernels +
           ">::functions(FADE_MODULE_KEY);\n}\n";
}

/// FADE's own flags. Code for GPUs is optimised; what emulates is compiled in a second or two.
inline std::vector<std::string> module_flags(const module_request& r) {
    std::vector<std::string> out{"-std=c++20", "-fPIC", "-shared", "-fvisibility=hidden"};
    if (r.device == module_device::emulated) return out.push_back("-O1"), out;
    for (const std::string& word :
         {std::string("-x"), std::string("hip"), "--offload-arch=" + r.arch, std::string("-O3")})
        out.push_back(word);
    return out;
}

}  // namespace FADE_NAMESPACE::tune

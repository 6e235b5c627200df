// The epilogues that GPU kernels are compiled with.
#pragma once
#include <optional>
#include "task.hpp"

namespace fade::bench {

struct chain_none {
    static constexpr std::string_view name = "";
    template <class Out>
    static auto of(const gemm_call&) { return epilogue::none{}; }
};
struct chain_bias {
    static constexpr std::string_view name = "bias";
    template <class Out>
    static auto of(const gemm_call& call) { return bias(static_cast<const Out*>(call.epilogue[0].values)); }
};
struct chain_bias_gelu {
    static constexpr std::string_view name = "bias+gelu";
    template <class Out>
    static auto of(const gemm_call& call) { return bias(static_cast<const Out*>(call.epilogue[0].values)) | gelu(); }
};
struct chain_residual {
    static constexpr std::string_view name = "residual";
    template <class Out>
    static auto of(const gemm_call& call) {
        const stage_use& s = call.epilogue[0];
        return residual(static_cast<const Out*>(s.values), s.row, s.batch_stride);
    }
};

inline std::string chain_name(const gemm_call& call) {
    std::string out;
    for (const stage_use& s : call.epilogue) out += (out.empty() ? "" : "+") + std::string(s.what->name);
    return out;
}

/// The chains of one object file.
template <class... Chains>
struct chain_list {
    static bool has(const gemm_call& call) { return ((Chains::name == chain_name(call)) || ...); }

    /// f with the chain of a call as the library's own.
    template <class Out, class F>
    static auto with(const gemm_call& call, const F& f) {
        using result = std::common_type_t<decltype(f(Chains::template of<Out>(call)))...>;
        std::optional<result> out;
        const std::string asked = chain_name(call);
        static_cast<void>(((Chains::name == asked && (out.emplace(f(Chains::template of<Out>(call))), true)) || ...));
        if (!out) throw error("epilogue", asked.empty() ? "none" : asked, "this part of the program has no kernel for it");
        return *out;
    }
};

using all_chains = chain_list<chain_none, chain_bias, chain_bias_gelu, chain_residual>;

inline const std::vector<std::string>& compiled_chains() {
    static const std::vector<std::string> all = {"bias", "bias+gelu", "residual"};
    return all;
}

}  // namespace fade::bench

// The epilogues that kernels are compiled with.
#pragma once
#include "task.hpp"
#include <optional>
#include <utility>

namespace fade::bench {

/// "bias+gelu"
inline std::string joined_names(const std::vector<std::string_view>& names) {
    std::string out;
    for (std::string_view name : names) {
        if (!out.empty()) out += '+';
        out += name;
    }
    return out;
}

/// A stage of the library's own, with the memory that it reads.
template <stage_kind Kind, class Out>
auto stage_of(const stage_use& use) {
    const Out* values = static_cast<const Out*>(use.values);
    if constexpr (Kind == stage_kind::bias)
        return bias(values);
    else if constexpr (Kind == stage_kind::residual)
        return residual(values, use.row, use.batch_stride);
    else
        return gelu();
}

/// A chain of these stages, as a program that names them compiles it.
template <stage_kind... Kinds>
struct chain_of {
    static std::string name() { return joined_names({fade::name(Kinds)...}); }
    template <class Out>
    static auto of(const gemm_call& call) {
        return joined<Out>(call, std::make_index_sequence<sizeof...(Kinds)>());
    }

private:
    template <class Out, std::size_t... At>
    static auto joined([[maybe_unused]] const gemm_call& call, std::index_sequence<At...>) {
        if constexpr (sizeof...(At) == 0)
            return epilogue::none{};
        else
            return (... | stage_of<Kinds, Out>(call.epilogue[At]));
    }
};

using chain_none = chain_of<>;
using chain_bias = chain_of<stage_kind::bias>;
using chain_bias_gelu = chain_of<stage_kind::bias, stage_kind::gelu>;
using chain_residual = chain_of<stage_kind::residual>;

inline std::string chain_name(const gemm_call& call) {
    std::vector<std::string_view> names;
    for (const stage_use& s : call.epilogue) names.push_back(s.what->name);
    return joined_names(names);
}

/// The chains of one object file.
template <class... Chains>
struct chain_list {
    static constexpr bool any = false;
    static bool has(const gemm_call& call) { return ((Chains::name() == chain_name(call)) || ...); }

    /// f with the chain of a call as the library's own.
    template <class Out, class F>
    static auto with(const gemm_call& call, const any_chain<Out>&, const F& f) {
        using result = std::common_type_t<decltype(f(Chains::template of<Out>(call)))...>;
        std::optional<result> out;
        const std::string asked = chain_name(call);
        static_cast<void>(
            ((Chains::name() == asked && (out.emplace(f(Chains::template of<Out>(call))), true)) || ...));
        if (!out)
            throw error("epilogue", asked.empty() ? "none" : asked,
                        "this part of the program has no kernel for it");
        return *out;
    }
};

using all_chains = chain_list<chain_none, chain_bias, chain_bias_gelu, chain_residual>;

/// Chains of a list as they are compiled, all others as any_chain.
template <class List>
struct or_any_chain {
    static constexpr bool any = true;
    template <class Out, class F>
    static auto with(const gemm_call& call, const any_chain<Out>& stages, const F& f) {
        return List::has(call) ? List::template with<Out>(call, stages, f) : f(stages);
    }
};

/// Those of integers: a chain with gelu leaves them.
using integer_chains = chain_list<chain_none, chain_bias, chain_residual>;

inline const std::vector<std::string>& compiled_chains() {
    static const std::vector<std::string> all = {"bias", "bias+gelu", "residual"};
    return all;
}

}  // namespace fade::bench

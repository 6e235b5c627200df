// How kernels of a policy that is a value are spelt in a source text: the entries of products, attention,
// convolutions and row operators.
#pragma once
#include <fade/core/dtype_names.hpp>
#include <fade/kernel/rows/layer_norm.hpp>
#include <fade/kernel/rows/rms_norm.hpp>
#include <fade/kernel/rows/softmax.hpp>
#include <fade/tune/attention/policies.hpp>
#include <fade/tune/conv/passed_entry.hpp>
#include <fade/tune/gemm/policies.hpp>
#include <fade/tune/rows/entry.hpp>
#include <string>
#include <type_traits>

namespace FADE_NAMESPACE::tune {

/// The name of a type that entries have for an argument: `text()`, and `header`, which holds it. Specialise
/// it for an epilogue or a row operator of your own, whose header the compiler finds by its flags.
template <class T>
struct source_name {};

template <class T>
concept named_in_source = requires {
    { source_name<T>::text() } -> std::convertible_to<std::string>;
    { source_name<T>::header } -> std::convertible_to<const char*>;
};

template <class T>
    requires(std::is_same_v<T, float> || std::is_same_v<T, f16> || std::is_same_v<T, bf16>)
struct source_name<T> {
    static constexpr const char* header = "fade/core/dtype.hpp";
    static std::string text() {
        return std::is_same_v<T, float> ? "float" : std::string("fade::") + name(dtype_v<T>);
    }
};
template <>
struct source_name<epilogue::none> {
    static constexpr const char* header = "fade/epilogue/chain.hpp";
    static std::string text() { return "fade::epilogue::none"; }
};
template <>
struct source_name<no_rule> {
    static constexpr const char* header = "fade/tune/attention/policies.hpp";
    static std::string text() { return "fade::no_rule"; }
};

namespace detail {

template <class... T>
std::string arguments_in_source() {
    std::string out;
    ((out += (out.empty() ? "" : ", ") + source_name<T>::text()), ...);
    return out;
}

template <class T>
std::string field_in_source(const T& value) {
    if constexpr (std::is_same_v<T, bool>)
        return value ? "true" : "false";
    else if constexpr (std::is_same_v<T, tile_shape>)
        return "{" + std::to_string(value.m) + ", " + std::to_string(value.n) + ", " +
               std::to_string(value.k) + "}";
    else
        return std::to_string(int(value));
}
/// fade::gemm_policy{.block_tile = {128, 128, 64}, ...}; enumerations are numbers of the field's type.
template <class Policy>
std::string policy_value(const char* type, const Policy& policy) {
    std::string out;
    each_field(policy, [&](const char* field, const auto& value) {
        const std::string number = field_in_source(value);
        const bool is_choice = std::is_enum_v<std::remove_cvref_t<decltype(value)>>;
        out += std::string(out.empty() ? "{." : ", .") + field + " = " +
               (is_choice ? std::string("decltype(") + type + "::" + field + ")(" + number + ")" : number);
    });
    return type + out + "}";
}

}  // namespace detail

template <class In, class Out, class Weight>
    requires(named_in_source<In> && named_in_source<Out> && named_in_source<Weight>)
struct source_name<kernel::rms_norm_rows<In, Out, Weight>> {
    static constexpr const char* header = "fade/kernel/rows/rms_norm.hpp";
    static std::string text() {
        return "fade::kernel::rms_norm_rows<" + detail::arguments_in_source<In, Out, Weight>() + ">";
    }
};
template <class In, class Out, class Weight>
    requires(named_in_source<In> && named_in_source<Out> && named_in_source<Weight>)
struct source_name<kernel::layer_norm_rows<In, Out, Weight>> {
    static constexpr const char* header = "fade/kernel/rows/layer_norm.hpp";
    static std::string text() {
        return "fade::kernel::layer_norm_rows<" + detail::arguments_in_source<In, Out, Weight>() + ">";
    }
};
template <class In, class Out, bool Logarithm>
    requires(named_in_source<In> && named_in_source<Out>)
struct source_name<kernel::softmax_rows<In, Out, Logarithm>> {
    static constexpr const char* header = "fade/kernel/rows/softmax.hpp";
    static std::string text() {
        return "fade::kernel::softmax_rows<" + detail::arguments_in_source<In, Out>() +
               (Logarithm ? ", true>" : ", false>");
    }
};

/// An entry as a source text has it, with a policy in the place of its own: `text(policy)`, and its headers.
/// Empty for entries that no policy belongs to, and for those of types without a name.
template <class Entry>
struct entry_source {};

template <class In, class Out, operand_access Access, size_class Size, class Epilogue>
    requires(named_in_source<In> && named_in_source<Out> && named_in_source<Epilogue> &&
             Size != size_class::skinny)
struct entry_source<gemm_entry<In, Out, Access, Size, Epilogue>> {
    static constexpr const char* headers[] = {"fade/tune/gemm/policies.hpp", source_name<Epilogue>::header};
    static std::string text(const gemm_policy& p) {
        return "fade::tune::passed_gemm_entry<" + detail::arguments_in_source<In, Out>() +
               ", fade::operand_access::" + name(Access) + ", " +
               detail::policy_value("fade::gemm_policy", p) + ", " + source_name<Epilogue>::text() + ">";
    }
};
template <class Entry, class In, class Out, class Epilogue>
    requires requires(gemm_policy p) { entry_source<Entry>::text(p); }
struct entry_source<tma_gemm_entry<Entry, In, Out, Epilogue>> {
    static constexpr auto& headers = entry_source<Entry>::headers;
    static std::string text(const gemm_policy& p) {
        return "fade::tune::tma_gemm_entry<" + entry_source<Entry>::text(p) + ", " +
               detail::arguments_in_source<In, Out, Epilogue>() + ">";
    }
};

template <class In, class Out, int HeadClass, attention_variant Variant, class Rule>
    requires(named_in_source<In> && named_in_source<Out> && named_in_source<Rule>)
struct entry_source<attention_entry<In, Out, HeadClass, Variant, Rule>> {
    static constexpr const char* headers[] = {"fade/tune/attention/policies.hpp", source_name<Rule>::header};
    static std::string text(const attention_policy& p) {
        return "fade::tune::passed_attention_entry<" + detail::arguments_in_source<In, Out>() + ", " +
               detail::policy_value("fade::attention_policy", p) + ", fade::tune::attention_variant(" +
               std::to_string(int(Variant)) + "), " + source_name<Rule>::text() + ">";
    }
};

namespace detail {
inline std::string kernel_in_source(const conv_kernel& k) {
    return "fade::tune::conv_kernel{fade::conv_pass(" + std::to_string(int(k.pass)) + "), " +
           (k.strided ? "true" : "false") + ", fade::kernel::channel_access(" +
           std::to_string(int(k.access)) + ")}";
}
template <class In, class Out, class Epilogue>
std::string conv_in_source(const char* entry, const conv_kernel& k, const gemm_policy& p) {
    return std::string("fade::tune::") + entry + "<" + arguments_in_source<In, Out>() + ", " +
           kernel_in_source(k) + ", " + policy_value("fade::gemm_policy", p) + ", " +
           source_name<Epilogue>::text() + ">";
}
}  // namespace detail

template <class In, class Out, conv_kernel Kernel, size_class Size, class Epilogue>
    requires(named_in_source<In> && named_in_source<Out> && named_in_source<Epilogue>)
struct entry_source<conv_entry<In, Out, Kernel, Size, Epilogue>> {
    static constexpr const char* headers[] = {"fade/tune/conv/passed_entry.hpp",
                                              source_name<Epilogue>::header};
    static std::string text(const gemm_policy& p) {
        return detail::conv_in_source<In, Out, Epilogue>("passed_conv_entry", Kernel, p);
    }
};
template <class In, class Out, conv_kernel Kernel, size_class Size, class Epilogue>
    requires(named_in_source<In> && named_in_source<Out> && named_in_source<Epilogue>)
struct entry_source<tma_conv_entry<In, Out, Kernel, Size, Epilogue>> {
    static constexpr const char* headers[] = {"fade/tune/conv/passed_entry.hpp",
                                              source_name<Epilogue>::header};
    static std::string text(const gemm_policy& p) {
        return detail::conv_in_source<In, Out, Epilogue>("passed_tma_conv_entry", Kernel, p);
    }
};

template <class Operator, row_kind Kind, bool WholeRuns>
    requires named_in_source<Operator>
struct entry_source<row_entry<Operator, chosen_row_policy<Kind, WholeRuns>>> {
    static constexpr const char* headers[] = {"fade/tune/rows/entry.hpp", source_name<Operator>::header};
    static std::string text(const row_policy& p) {
        return "fade::tune::row_entry<" + source_name<Operator>::text() + ", fade::tune::own_row_policy<" +
               detail::policy_value("fade::row_policy", p) + ">>";
    }
};

/// Can a source text hold the entry with another policy?
template <class Entry>
inline constexpr bool has_source = requires { entry_source<Entry>::headers; };

}  // namespace FADE_NAMESPACE::tune

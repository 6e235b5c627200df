// The architecture of the captures, and which of its kernels they launch. The others are not compiled: they
// would be more than half of the machine code of these programs.
#pragma once
#include <fade/attention.hpp>
#include <fade/batch_norm.hpp>
#include <fade/conv.hpp>
#include <fade/gemm.hpp>
#include <fade/grid_sample.hpp>
#include <fade/grouped_gemm.hpp>
#include <fade/moe.hpp>
#include <fade/norm.hpp>
#include <fade/pool.hpp>
#include <fade/rows.hpp>
#include <fade/scaled_gemm.hpp>
#include <fade/softmax.hpp>
#include <fade/upsample.hpp>
#include <fade/weight_gemm.hpp>

namespace fade::replay {

/// A capture that wants one that is false here fails, and says so.
template <class Entry>
constexpr bool launched = true;

/// Images and groups here are smaller than large tiles.
template <class In, class Out, tune::conv_kernel Kernel, class Epilogue>
constexpr bool launched<tune::conv_entry<In, Out, Kernel, tune::size_class::large, Epilogue>> = false;
template <class In, class Out, operand_access Access, class Epilogue>
constexpr bool launched<tune::grouped_entry<In, Out, Access, tune::size_class::large, Epilogue>> = false;
template <class Arguments, operand_access Access>
constexpr bool launched<tune::grouped_k_entry<Arguments, Access, tune::size_class::large>> = false;
template <weight_format Format, class In, class Out, class Epilogue>
constexpr bool launched<tune::grouped_weight_entry<Format, In, Out, tune::size_class::large, Epilogue>> =
    false;
template <weight_format Format, class In, class Out, class Epilogue>
constexpr bool launched<tune::weight_entry<Format, In, Out, tune::size_class::large, Epilogue>> = false;

/// Bytes and gates that are looked up are tried in large tiles, gates that are compiled in others. A bias
/// alone is that of few rows or columns, which wide tiles have beside products of im2col.
template <class In, class Out, operand_access Access, tune::size_class Size, class Epilogue>
constexpr bool launched<tune::gemm_entry<In, Out, Access, Size, Epilogue>> = [] {
    constexpr bool large = Size == tune::size_class::large, plain = std::is_same_v<Epilogue, epilogue::none>;
    if (sizeof(In) == 1) return large;
    if (epilogue::gates_in<Epilogue> > 0) return large == epilogue::chosen_at_run_time<Epilogue>;
    if (std::is_same_v<Epilogue, epilogue::bias_stage<Out>>) return !large;
    return Size != tune::size_class::wide || (plain && Access == operand_access::nt);
}();

/// Products of im2col and Winograd, which are small too.
template <>
constexpr bool
    launched<tune::gemm_entry<f16, f16, operand_access::nt, tune::size_class::large, epilogue::none>> = false;
template <>
constexpr bool
    launched<tune::gemm_entry<f16, float, operand_access::nn, tune::size_class::large, epilogue::none>> =
        false;
template <>
constexpr bool
    launched<tune::gemm_entry<float, float, operand_access::nt, tune::size_class::large, epilogue::none>> =
        false;

/// Rows of both operands lie along k, or nowhere in runs.
template <class In, class Out, operand_access Access, tune::size_class Size, class Epilogue>
constexpr bool launched<tune::scaled_entry<In, Out, Access, Size, Epilogue>> =
    Access == operand_access::nt || Access == operand_access::strided;

/// Heads of 256 are tried without rules. Those of 8-bit floats have 128 dimensions, or 63, which the general
/// kernel takes.
template <class In, class Out, int HeadClass, kernel::attention_variant Variant>
constexpr bool launched<tune::attention_entry<In, Out, HeadClass, Variant, no_rule>> =
    sizeof(In) == 1 ? HeadClass == (Variant == kernel::attention_variant::general ? 64 : 128)
                    : HeadClass != 256 || kernel::without_rules(Variant);

/// No row here takes so many lanes, or registers.
template <class Operator, tune::row_kind Kind, bool WholeRuns>
constexpr bool launched<tune::row_entry<Operator, tune::chosen_row_policy<Kind, WholeRuns>>> =
    Kind != tune::row_kind::lanes_512 && Kind != tune::row_kind::wide;

/// Routers here have rows that a wave reads, which are no whole runs.
template <class In, tune::row_kind Kind, bool WholeRuns>
constexpr bool
    launched<tune::row_entry<kernel::moe_route_rows<In>, tune::chosen_row_policy<Kind, WholeRuns>>> =
        Kind == tune::row_kind::wave && !WholeRuns;

/// Rows that are normalised here fit 128 lanes, and those of softmax one wave, 256 lanes or none.
template <class In, class Out, class Weight, tune::row_kind Kind, bool WholeRuns>
constexpr bool launched<
    tune::row_entry<kernel::rms_norm_rows<In, Out, Weight>, tune::chosen_row_policy<Kind, WholeRuns>>> =
    Kind <= tune::row_kind::lanes_128;
template <class In, class Out, tune::row_kind Kind, bool WholeRuns>
constexpr bool launched<
    tune::row_entry<kernel::softmax_rows<In, Out, false>, tune::chosen_row_policy<Kind, WholeRuns>>> =
    Kind == tune::row_kind::short_wave ||
    Kind == (WholeRuns ? tune::row_kind::lanes_256 : tune::row_kind::streamed);

/// Images of 16 bits have whole runs of channels here, and samples at points planes.
template <tune::pool_kind Kind>
constexpr bool launched<tune::pool_entry<Kind, f16, 1>> = false;
template <bool Gradient>
constexpr bool launched<tune::upsample_entry<Gradient, f16, 1>> = false;
template <tune::grid_sample_kind Kind>
constexpr bool launched<tune::grid_sample_entry<Kind, float, 4>> = false;

/// Channels and planes that batch_norm reads as rows are as short.
template <class In, bool OfVariance, tune::row_kind Kind, bool WholeRuns>
constexpr bool launched<
    tune::row_entry<kernel::normalize_pixels<In, OfVariance>, tune::chosen_row_policy<Kind, WholeRuns>>> =
    Kind == tune::row_kind::short_wave || Kind == tune::row_kind::wave;
template <class In, bool OfVariance, tune::row_kind Kind, bool WholeRuns>
constexpr bool launched<
    tune::row_entry<kernel::normalize_planes<In, OfVariance>, tune::chosen_row_policy<Kind, WholeRuns>>> =
    Kind == tune::row_kind::short_wave || Kind == tune::row_kind::wave;
template <class In, tune::row_kind Kind, bool WholeRuns>
constexpr bool launched<
    tune::row_entry<kernel::batch_norm_gradient_pixels<In>, tune::chosen_row_policy<Kind, WholeRuns>>> =
    WholeRuns && (Kind == tune::row_kind::short_wave || Kind == tune::row_kind::wave);
template <class In>
constexpr bool launched<tune::column_entry<kernel::batch_norm_sums<In>, false>> = false;
template <class In, tune::row_kind Kind, bool WholeRuns>
constexpr bool launched<
    tune::row_entry<kernel::batch_norm_gradient_planes<In>, tune::chosen_row_policy<Kind, WholeRuns>>> =
    Kind == tune::row_kind::short_wave || Kind == tune::row_kind::wave;

class capture_target : public hip_target {
public:
    using hip_target::hip_target;
    template <class Entry>
    static const void* entry_address() {
        if constexpr (launched<Entry>)
            return hip_target::entry_address<Entry>();
        else
            return nullptr;
    }
};

}  // namespace fade::replay

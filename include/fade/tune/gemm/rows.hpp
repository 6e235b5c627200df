// The table of policies: for each architecture and type a row a size class. Data; what a row rests on
// stands in evidence.hpp.
#pragma once
#include <array>
#include <fade/kernel/gemm/policy.hpp>

namespace FADE_NAMESPACE::tune {

/// large: enough tiles to fill a device with big ones; small: everything else; medium: tiles between them;
/// narrow, wide: few columns, and 320 columns, of convolutions by boxes alone; skinny, skinny_columns: few
/// rows or columns, whose waves share k; flat: few rows, by boxes; clustered: few tiles, whose
/// k the workgroups of a cluster share; flat_clustered: smaller ones; deep: the same in clusters of four;
/// quad, flat_quad: tiles of 128 rows, and of 64, of clusters of four, which share A and B; tiny: tiles of 64
/// rows and columns, alone; tall: more rows than columns. From flat on boxes come, of 128 bytes of k. Beyond
/// few rows and columns, of those that were timed (times.hpp) or audited (expected.hpp) that one is chosen
/// which is expected to end first.
enum class size_class {
    large,
    small,
    narrow,
    medium,
    wide,
    skinny,
    skinny_columns,
    flat,
    clustered,
    flat_clustered,
    deep,
    quad,
    flat_quad,
    tiny,
    tall
};

constexpr const char* name(size_class c) {
    constexpr const char* names[] = {"large",  "small",          "narrow",    "medium",    "wide",
                                     "skinny", "skinny_columns", "flat",      "clustered", "flat_clustered",
                                     "deep",   "quad",           "flat_quad", "tiny",      "tall"};
    return names[int(c)];
}

/// The policies of one architecture for one input type.
struct gemm_row {
    gemm_policy large, small;
    gemm_policy strided{};         ///< where elements are read one by one; without tiles it is `small`
    bool ring_transposes = false;  ///< rings take operands contiguous along k or along rows
    gemm_policy large_transposed{},
        small_transposed{};               ///< where a ring of boxes does not, and an operand lies so
    std::array<gemm_policy, 4> skinny{};  ///< of few rows, by how operands are read; without tiles none
    gemm_policy flat{};  ///< of more rows than an instruction has, where boxes come; without tiles none
    gemm_policy clustered{}, flat_clustered{};  ///< of few tiles, whose k two share; the same
    gemm_policy deep{};                         ///< of few tiles, whose k four share; the same
    gemm_policy quad{},
        flat_quad{};             ///< of clusters that share A and B, of which the second are flat; the same
    gemm_policy tiny{}, tall{};  ///< the smallest, and those of more rows than columns; the same
    gemm_policy medium{};        ///< between large and small, where those leave much between; the same
    constexpr const gemm_policy& of(size_class c) const {
        return c == size_class::large            ? large
               : c == size_class::medium         ? medium
               : c == size_class::flat           ? flat
               : c == size_class::clustered      ? clustered
               : c == size_class::flat_clustered ? flat_clustered
               : c == size_class::deep           ? deep
               : c == size_class::quad           ? quad
               : c == size_class::flat_quad      ? flat_quad
               : c == size_class::tiny           ? tiny
               : c == size_class::tall           ? tall
                                                 : small;
    }
    constexpr const gemm_policy& transposed(size_class c) const {
        return c == size_class::large ? large_transposed : small_transposed;
    }
};

/// What a policy is compiled as: by boxes one kernel makes whole tiles and shares the last ones, as a launch
/// says.
constexpr gemm_policy kernel_of(gemm_policy policy) {
    if (policy.pipeline == block::pipeline_kind::tma_ring && policy.cluster_k == 1)
        policy.schedule = gemm_schedule::tiles;
    return policy;
}

/// By the kind of instruction in amd.hpp, and specialised there and in host.hpp and nvidia.hpp.
template <class Arch, class In>
struct gemm_rows;

}  // namespace FADE_NAMESPACE::tune

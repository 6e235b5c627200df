// The grouped matrix multiplication as something a device can launch.
#pragma once
#include <fade/kernel/grouped/body.hpp>
#include <fade/kernel/grouped/boxes.hpp>
#include <fade/tune/gemm/by_lanes.hpp>
#include <fade/tune/gemm/entry.hpp>
#include <fade/tune/grouped/rows.hpp>

namespace FADE_NAMESPACE::tune {

template <class In, class Out, operand_access Access, size_class Size, class Epilogue>
struct grouped_entry {
    using arguments = kernel::grouped_arguments<In, Out, Epilogue>;
    template <class Arch>
    static constexpr gemm_policy policy = policy_for(row_of_two_sizes<Arch, In>(), Size, Access);

    template <class Arch>
    static constexpr launch_shape shape() {
        if constexpr (!arch::has_atom<Arch, In>)
            return {.waves = 1, .shared_bytes = 0};  // refused before a launch
        else if constexpr (kernel::gemm_traits<Arch, In, policy<Arch>>::panels) {
            using traits = kernel::gemm_traits<Arch, In, policy<Arch>>;
            return {.waves = 1, .shared_bytes = traits::shared_bytes + kernel::listed_bytes<traits, In>};
        } else
            return gemm_shape<Arch, In, policy<Arch>>();
    }

    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        using arch = typename Block::arch;
        if constexpr (kernel::gemm_traits<arch, In, policy<arch>>::panels)
            kernel::grouped_panels<policy<arch>>(block, args);
        else
            kernel::grouped_tiles<policy<arch>, access_of(Access)>(block, args);
    }
};

/// By boxes, where rows of A lie one after another.
template <class In, class Out, operand_access Access, size_class Size, class Epilogue>
struct grouped_boxes_entry : boxes_of_groups<In, Access, Size> {
    using arguments = kernel::with_maps<kernel::grouped_arguments<In, Out, Epilogue>>;
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        using arch = typename Block::arch;
        if constexpr (groups_by_boxes<arch, In>())
            kernel::grouped_by_boxes<grouped_boxes_policy<arch, In>(Size), access_of(Access)>(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune

// Products by tables of pointers as something a device can launch.
#pragma once
#include <fade/kernel/batched/body.hpp>
#include <fade/tune/gemm/by_lanes.hpp>
#include <fade/tune/gemm/entry.hpp>

namespace FADE_NAMESPACE::tune {

template <class Arguments, operand_access Access, size_class Size>
struct batched_entry {
    using arguments = Arguments;
    using element = typename Arguments::element;
    template <class Arch>
    static constexpr gemm_policy policy = policy_for(row_of_two_sizes<Arch, element>(), Size, Access);

    template <class Arch>
    static constexpr launch_shape shape() {
        if constexpr (!arch::has_atom<Arch, element>)
            return {.waves = 1, .shared_bytes = 0};  // refused before a launch
        else if constexpr (kernel::gemm_traits<Arch, element, policy<Arch>>::panels)
            return {.waves = 1,
                    .shared_bytes = kernel::gemm_traits<Arch, element, policy<Arch>>::shared_bytes};
        else
            return gemm_shape<Arch, element, policy<Arch>>();
    }

    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        using arch = typename Block::arch;
        if constexpr (kernel::gemm_traits<arch, element, policy<arch>>::panels)
            kernel::batched_panels<policy<arch>>(block, args);
        else
            kernel::batched_tiles<policy<arch>, access_of(Access)>(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune

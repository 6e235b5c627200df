// The second launch of backward weights whose pixels many workgroups shared.
#pragma once
#include <fade/kernel/conv/arguments.hpp>
#include <fade/kernel/conv/combine.hpp>
#include <fade/tune/gemm/entry.hpp>

namespace FADE_NAMESPACE::tune {

template <class In, class Out, class Epilogue>
struct group_combine_entry {
    using arguments = kernel::gemm_arguments<In, Out, Epilogue>;
    template <class Arch>
    static constexpr launch_shape shape() {
        launch_shape out = combine_entry<In, Out, Epilogue>::template shape<Arch>();
        out.shared_bytes = out.waves * Arch::traits.wave_size * int(sizeof(accumulator_t<In>));
        return out;
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        epilogue::observed(args, [&](const arguments& own) { kernel::combine_in_groups(block, own); });
    }
};

}  // namespace FADE_NAMESPACE::tune

// The second launch of backward weights whose pixels several workgroups shared.
#pragma once
#include <cstdint>
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
        out.shared_bytes =
            out.waves * Arch::traits.wave_size * int(sizeof(kernel::neighbouring_sums<accumulator_t<In>>));
        return out;
    }
    /// Do sums and D lie as it wants them?
    static bool takes(const arguments& args) {
        const auto lies = [](const auto* at) {
            return reinterpret_cast<std::uintptr_t>(at) % (kernel::sums_of_lane * sizeof(*at)) == 0;
        };
        return args.n % kernel::sums_of_lane == 0 && args.ldd == args.n && lies(args.partial) && lies(args.d);
    }
    /// Of an architecture that copies boxes.
    static grid_shape grid(const arguments& args) {
        const int threads = shape<arch::sm_90a>().waves * arch::sm_90a::traits.wave_size;
        const index runs = args.m * args.n / kernel::sums_of_lane;
        return {int(ceil_div<index>(runs, threads / kernel::groups_of_parts(args.splits, runs)))};
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        epilogue::observed(args, [&](const arguments& own) { kernel::combine_in_groups(block, own); });
    }
};

}  // namespace FADE_NAMESPACE::tune

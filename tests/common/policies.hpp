// Everything that ships: each architecture, type and size class of the table of policies.
#pragma once
#include <fade/gemm.hpp>

namespace fade::test {

/// A kernel of the table: its architecture, input type and policy.
template <class Arch, class In, tune::size_class Size>
struct shipped {
    using arch = Arch;
    using in = In;
    static constexpr gemm_policy policy = tune::gemm_rows<Arch, In>::row.of(Size);
    using traits = kernel::gemm_traits<Arch, In, policy>;
    static std::string name() {
        return std::string(Arch::traits.name) + " " + fade::name(dtype_v<In>) + " " + tune::name(Size);
    }
};

template <class Arch, class F>
void each_shipped_of(F f) {
    using enum tune::size_class;
    f(shipped<Arch, f32, large>{}), f(shipped<Arch, f32, small>{});
    f(shipped<Arch, f16, large>{}), f(shipped<Arch, f16, small>{});
    f(shipped<Arch, bf16, large>{}), f(shipped<Arch, bf16, small>{});
}

template <class F, class... Archs>
void each_arch(arch::arch_list<Archs...>, F f) {
    (f(Archs{}), ...);
}

/// Calls f(shipped<...>{}) for all of them on AMD architectures.
template <class F>
void each_shipped(F f) {
    each_arch(arch::amd{}, [&](auto a) { each_shipped_of<decltype(a)>(f); });
}

}  // namespace fade::test

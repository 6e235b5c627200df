// Every instruction set that this CPU has, not only the widest; those that it lacks are skipped.
#pragma once
#include "common/skipped.hpp"
#include <doctest/doctest.h>
#include <fade/atom/cpu/isa.hpp>

namespace fade::test {

inline constexpr const char* isa_names[] = {"portable", "AVX2", "AVX-512", "AVX512_VNNI", "AVX512_BF16"};

template <class F>
void each_isa(F f) {
    const auto widest = atom::used_isa;
    for (int isa = int(widest) + 1; isa <= int(atom::cpu_isa::avx512_bf16); ++isa)
        skipped(std::string("kernels for ") + isa_names[isa], "this CPU has no such instructions");
    for (int isa = 0; isa <= int(widest); ++isa) {
        atom::used_isa = atom::cpu_isa(isa);
        INFO("instruction set ", isa);
        f();
    }
    atom::used_isa = widest;
}

}  // namespace fade::test

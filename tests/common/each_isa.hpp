// Every instruction set that this CPU has, not only the widest.
#pragma once
#include <doctest/doctest.h>
#include <fade/atom/cpu_isa.hpp>

namespace fade::test {

template <class F>
void each_isa(F f) {
    const auto widest = atom::used_isa;
    for (const auto isa : {atom::cpu_isa::portable, atom::cpu_isa::avx2, atom::cpu_isa::avx512}) {
        if (isa > widest) continue;
        atom::used_isa = isa;
        INFO("instruction set ", int(isa));
        f();
    }
    atom::used_isa = widest;
}

}  // namespace fade::test

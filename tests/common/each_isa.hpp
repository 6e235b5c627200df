// Every instruction set that this CPU has, not only the widest.
#pragma once
#include <doctest/doctest.h>
#include <fade/atom/cpu_isa.hpp>

namespace fade::test {

template <class F>
void each_isa(F f) {
    const auto widest = atom::used_isa;
    for (int isa = 0; isa <= int(widest); ++isa) {
        atom::used_isa = atom::cpu_isa(isa);
        INFO("instruction set ", isa);
        f();
    }
    atom::used_isa = widest;
}

}  // namespace fade::test

#include "fast_math/calls.hpp"
#include "common/some_kernels.hpp"
#include <fade/atom/cpu/pack.hpp>

#ifndef __FAST_MATH__
#error "this file is to be compiled with -ffast-math"
#endif

namespace fade::fast_math {

template <class T>
void attend(atom::cpu_isa isa, const attention_problem& p, const attention_operands<T, float>& o) {
    atom::used_isa = isa;
    host_device device(2);
    attention<T, float>(device, p, o);
}
template void attend(atom::cpu_isa, const attention_problem&, const attention_operands<float, float>&);
template void attend(atom::cpu_isa, const attention_problem&, const attention_operands<f16, float>&);
template void attend(atom::cpu_isa, const attention_problem&, const attention_operands<bf16, float>&);

void attend_emulated(const attention_problem& p, const attention_operands<f16, float>& o, int splits) {
    test::some_kernels<arch::gfx942, test::attention_kernels{64, 64}> device;
    attention<f16, float>(device, p, o, {.split_kv = splits});
}

template <class In, class Out>
void multiply(atom::cpu_isa isa, const gemm_problem& p, const gemm_operands<In, Out>& o,
              const any_chain<Out>& chain) {
    atom::used_isa = isa;
    host_device device(2);
    gemm<In, Out>(device, p, o, chain);
}
template void multiply(atom::cpu_isa, const gemm_problem&, const gemm_operands<float, float>&,
                       const any_chain<float>&);
template void multiply(atom::cpu_isa, const gemm_problem&, const gemm_operands<f16, f16>&,
                       const any_chain<f16>&);
template void multiply(atom::cpu_isa, const gemm_problem&, const gemm_operands<bf16, float>&,
                       const any_chain<float>&);
template void multiply(atom::cpu_isa, const gemm_problem&, const gemm_operands<i8, i32>&,
                       const any_chain<i32>&);

template <class To, class From>
void convert_all(atom::cpu_isa isa, const From* from, To* one_by_one, To* in_vectors, index count) {
    atom::used_isa = isa;
    for (index i = 0; i < count; ++i) one_by_one[i] = convert<To>(from[i]);
    atom::with_vectors<atom::copy_rows>(in_vectors, index(0), from, index(0), 1, int(count));
}
template <class T>
struct conversions {
    static constexpr auto widen = &convert_all<float, T>;
    static constexpr auto narrow = &convert_all<T, float>;
};
template struct conversions<f16>;
template struct conversions<bf16>;
template struct conversions<f8e4m3>;
template struct conversions<f8e5m2>;
template struct conversions<f8e4m3fnuz>;
template struct conversions<f8e5m2fnuz>;

}  // namespace fade::fast_math

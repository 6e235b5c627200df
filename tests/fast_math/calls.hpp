// FADE compiled with -ffast-math, behind functions: what checks it is compiled without, and shares none of
// its code.
#pragma once
#include <fade/attention.hpp>
#include <fade/gemm.hpp>

namespace fade::fast_math {

/// On the host, by the widest instruction set up to `isa`.
template <class T>
void attend(atom::cpu_isa isa, const attention_problem&, const attention_operands<T, float>&);
/// By kernels of an emulated gfx942 up to head_dim 64.
void attend_emulated(const attention_problem&, const attention_operands<f16, float>&, int splits);

template <class In, class Out>
void multiply(atom::cpu_isa isa, const gemm_problem&, const gemm_operands<In, Out>&, const any_chain<Out>&);

/// One by one, and in vectors.
template <class To, class From>
void convert_all(atom::cpu_isa isa, const From* from, To* one_by_one, To* in_vectors, index count);

}  // namespace fade::fast_math

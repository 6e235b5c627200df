// The stages of a call as the chain that the library compiles.
#pragma once
#include "device.hpp"
#include <fade/epilogue/all.hpp>

namespace fade::c {

static_assert(int(stage_kind::bias) == FADE_BIAS && int(stage_kind::aux) == FADE_AUX &&
                  int(stage_kind::geglu_tanh) == FADE_GEGLU_TANH,
              "fade_stage_kind lists the stages in the order of stage_kind");

/// The stages of a call, whose structs are as long as the caller's.
struct stage_list {
    const fade_stage* first;
    int count;
    const fade_stage& operator[](int i) const {
        return *reinterpret_cast<const fade_stage*>(reinterpret_cast<const char*>(first) +
                                                    std::size_t(i) * first->size);
    }
    /// The first gate, or `count`.
    int gate() const {
        int i = 0;
        while (i < count && !is_gate(stage_kind((*this)[i].kind))) ++i;
        return i;
    }
};

template <class Out>
any_chain<Out> chain_of(const stage_list& all, int from, int to) {
    any_chain<Out> out;
    for (int i = from; i < to; ++i) {
        const fade_stage& s = all[i];
        if (s.kind == FADE_AMAX)
            out.push_amax(static_cast<float*>(const_cast<void*>(s.values)));
        else
            out.push(stage_kind(s.kind), static_cast<const Out*>(s.values), s.ld, s.batch_stride, s.low,
                     s.high);
    }
    return out;
}
template <class Out>
any_chain<Out> chain_of(const fade_stage* stages, int count) {
    return chain_of<Out>({stages, count}, 0, count);
}

#if defined(FADE_C_ARCH)
inline constexpr bool is_emulated = true;
#else
inline constexpr bool is_emulated = false;
#endif

/// Has this library products with gates of these types? They are kernels beside all others.
template <class In, class Out>
constexpr bool holds_gates() {
    if constexpr (!std::is_same_v<In, Out> || std::is_integral_v<Out>)
        return false;
    else if constexpr (learns_arch<device>)
        return sizeof(Out) <= 4;
    else
        return !is_emulated || std::is_same_v<In, float>;
}

/// Have GPUs a kernel for a gate alone?
enum class lone_gates { of_their_own, as_chains };

/// f(chain) with the stages of a product, a gate among them or not. Gates: has the library kernels of them?
template <class In, class Out, lone_gates Lone = lone_gates::of_their_own,
          bool Gates = holds_gates<In, Out>(), class F>
outcome with_stages(const fade_stage* stages, int count, const F& f) {
    const stage_list all{stages, count};
    const int gate = all.gate();
    if (gate == count) return f(chain_of<Out>(all, 0, count));
    const auto kind = stage_kind(all[gate].kind);
    if constexpr (Gates) {
        // GPUs have a kernel for what a gated unit is most often: the gate alone.
        if constexpr (learns_arch<device> && Lone == lone_gates::of_their_own)
            if (count == 1) return f(epilogue::any_gate(kind));
        return f(any_gated_chain(chain_of<Out>(all, 0, gate), kind, chain_of<Out>(all, gate + 1, count)));
    }
    throw error("stages", name(kind),
                "of plain products this library has gates where results have the real type of the inputs "
                "(emulated: f32; GPUs: f32, f16 and bf16): take an activation and mul, or the C++ interface");
}

}  // namespace fade::c

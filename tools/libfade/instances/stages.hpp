// The stages of a call as the chain that the library compiles.
#pragma once
#include "device.hpp"
#include <fade/epilogue/all.hpp>

namespace fade::c {

static_assert(int(stage_kind::bias) == FADE_BIAS && int(stage_kind::aux) == FADE_AUX,
              "fade_stage_kind lists the stages in the order of stage_kind");

template <class Out>
any_chain<Out> chain_of(const fade_stage* stages, int count) {
    any_chain<Out> out;
    const char* at = reinterpret_cast<const char*>(stages);
    for (int i = 0; i < count; ++i, at += stages->size) {
        const fade_stage& s = *reinterpret_cast<const fade_stage*>(at);
        out.push(stage_kind(s.kind), static_cast<const Out*>(s.values), s.ld, s.batch_stride, s.low, s.high);
    }
    return out;
}

}  // namespace fade::c

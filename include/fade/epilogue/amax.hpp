// The largest magnitude that passes, written to one number: what the next call's factor of 8-bit floats is
// made of.
#pragma once
#include <fade/backend/raise.hpp>
#include <fade/epilogue/chain.hpp>

namespace FADE_NAMESPACE {
namespace epilogue {

struct amax_stage : stage {
    static constexpr const char* name = "amax";
    static constexpr bool floating = true;
    float* to;
    backend::magnitude_bits* seen =
        nullptr;  ///< where a lane keeps what it saw until it has seen all; null: it raises at once
    FADE_FN explicit amax_stage(float* t) : to(t) {}
    template <class Value>
    FADE_FN Value operator()(Value v, const position& at) const {
        const backend::magnitude_bits x = at.inside ? backend::magnitude_of(float(v)) : 0;
        if (seen)
            backend::raise_own(*seen, x);
        else
            backend::raise(to, x);
        return v;
    }
    template <class Value>
    void on_row(Value* row, int columns, const position&) const {
        backend::magnitude_bits max = 0;
        for (int i = 0; i < columns; ++i) backend::raise_own(max, backend::magnitude_of(float(row[i])));
        backend::raise(to, max);
    }
    void bind(const output_shape&) const {
        check_values(name, to, any_length, 1, "the largest magnitude is written there");
    }
};

/// How many stages of a chain want to see all before they write.
template <class Stage>
inline constexpr int observers_in = std::is_same_v<Stage, amax_stage>;
template <class First, class Second>
inline constexpr int observers_in<chain<First, Second>> = observers_in<First> + observers_in<Second>;

template <class Stage, class F>
FADE_FN void each_observer(Stage& one, const F& f) {
    if constexpr (std::is_same_v<Stage, amax_stage>) f(one);
}
template <class First, class Second, class F>
FADE_FN void each_observer(chain<First, Second>& both, const F& f) {
    each_observer(both.first, f), each_observer(both.second, f);
}

/// Calls f(arguments) for a lane's part of D. Stages that observe keep what they saw in the lane's registers,
/// and write once.
template <class Args, class F>
FADE_FN void observed(const Args& args, const F& f) {
    constexpr int count = observers_in<decltype(Args::epilogue)>;
    if constexpr (count == 0) {
        f(args);
    } else {
        Args own = args;
        backend::magnitude_bits seen[count] = {};
        int next = 0;
        each_observer(own.epilogue, [&](amax_stage& one) FADE_LAMBDA { one.seen = &seen[next++]; });
        f(static_cast<const Args&>(own));
        each_observer(own.epilogue, [&](amax_stage& one) FADE_LAMBDA { backend::raise(one.to, *one.seen); });
    }
}

}  // namespace epilogue

/// *largest becomes the largest of itself and the magnitudes of what passes, before they are rounded: set it
/// to 0 before the call. NaN is larger than all numbers. A maximum is the same in any order, so the bits do
/// not vary. Values pass unchanged.
inline epilogue::amax_stage amax(float* largest) { return epilogue::amax_stage(largest); }

}  // namespace FADE_NAMESPACE

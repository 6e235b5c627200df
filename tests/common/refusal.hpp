// What a call refuses: which argument, which value, which rule; and that it wrote nothing.
#pragma once
#include "common/numbers.hpp"
#include <cstring>
#include <doctest/doctest.h>
#include <fade/gemm.hpp>

namespace fade::test {

/// Memory for a small call; `spoil` changes problem, operands or options into something that cannot be.
template <class T>
struct small_call {
    std::vector<T> a = std::vector<T>(4096, nearest<T>(1)), b = a, c = a,
                   d = std::vector<T>(4096, poison<T>());
    gemm_problem problem{.m = 8, .n = 8, .k = 8};
    gemm_operands<T> operands{a.data(), b.data(), c.data(), d.data()};
    gemm_options options;

    bool wrote() const {
        for (const T& x : d)
            if (!is_poison(x)) return true;
        return false;
    }
};

/// Operands so far from one another that no extent overlaps; addresses that are never followed.
template <class T>
gemm_operands<T> far_from_one_another() {
    const auto at = [](int bit) { return reinterpret_cast<T*>(std::uintptr_t(1) << bit); };
    return {at(12), at(45), nullptr, at(50)};
}

struct refusal {
    std::string argument, value, rule, sentence;
    bool wrote = false;
};

/// The refusal of a small call that `spoil` changed; empty where it was not refused.
template <class T, gemm_kernels Kernels = all_accesses, class Device, class Spoil,
          class Epilogue = epilogue::none>
refusal refusal_of(Device& device, Spoil spoil, const Epilogue& epilogue = {}) {
    small_call<T> call;
    spoil(call);
    refusal out;
    try {
        gemm<T, T, Kernels>(device, call.problem, call.operands, epilogue, call.options);
    } catch (const error& e) {
        out = {e.argument(), e.value(), e.rule(), e.what(), false};
    }
    out.wrote = call.wrote();
    return out;
}

/// Refused for this argument and value, with a rule that holds `words`, in one sentence, and nothing written.
inline void check_refusal(const refusal& r, const std::string& argument, const std::string& value,
                          const std::string& words) {
    INFO("said: ", r.sentence);
    CHECK(r.argument == argument);
    CHECK(r.value == value);
    CHECK(r.rule.find(words) != std::string::npos);
    CHECK(r.sentence == argument + " is " + value + ", but " + r.rule);
    CHECK(r.sentence.find('\n') == std::string::npos);
    CHECK(!r.wrote);
}

}  // namespace fade::test

// What steps of an optimizer refuse before anything is written.
#pragma once
#include <fade/core/number/bytes.hpp>
#include <fade/core/require.hpp>
#include <fade/kernel/optimizer/problem.hpp>

namespace FADE_NAMESPACE::kernel {

/// A list of numbers that a step reads, or writes.
struct parameter_list {
    const char* name;
    const void* at;
    index bytes;
    bool is_written, is_optional;
};

template <class T>
parameter_list read_list(const char* name, const T* at, index count) {
    return {name, at, count * index(sizeof(T)), false, false};
}
template <class T>
parameter_list written_list(const char* name, T* at, index count, bool is_optional = false) {
    return {name, at, count * index(sizeof(T)), true, is_optional};
}
inline parameter_list flag_of(const float* nonfinite) {
    return {"nonfinite", nonfinite, sizeof(float), false, true};
}

inline void check_parameter_count(index count) {
    require(count >= 0 && count < index(1) << 38, "count", count, "it must be between 0 and 2^38 - 1");
}

/// Lists that are there, and those that are written lie apart from all others.
template <class... Lists>
void check_parameter_lists(const Lists&... lists) {
    const parameter_list all[] = {lists...};
    for (const parameter_list& t : all) {
        if (!t.at && t.bytes > 0 && !t.is_optional) throw error(t.name, "null", "a step needs it");
        for (const parameter_list& other : all)
            if (t.is_written && &t != &other &&
                bytes_from(t.at, t.bytes).overlaps(bytes_from(other.at, other.bytes)))
                throw error(t.name, std::string("overlapping ") + other.name,
                            "what is written lies apart from all else");
    }
}

inline void check_rates(double rate, double weight_decay, double loss_scale) {
    require_real(rate >= 0 && rate < 1e30, "rate", rate, "it must be 0 or positive, and finite");
    require_real(weight_decay >= 0 && weight_decay < 1e30, "weight_decay", weight_decay,
                 "it must be 0 or positive, and finite");
    require_real(loss_scale > 1e-30 && loss_scale < 1e30, "loss_scale", loss_scale,
                 "it must lie between 1e-30 and 1e30");
}

inline void require_share(const char* name, double share) {
    require_real(share >= 0 && share < 1, name, share, "it must be at least 0 and below 1");
}

template <class Operands>
void check_sgd(const sgd_problem& p, const Operands& o) {
    check_parameter_count(p.count);
    check_rates(p.rate, p.weight_decay, p.loss_scale);
    require_share("momentum", p.momentum);
    if (p.nesterov && !(p.momentum > 0)) throw error("nesterov", "set", "without momentum nothing is ahead");
    if (o.velocity && !(p.momentum > 0)) throw error("velocity", "given", "without momentum there is none");
    check_parameter_lists(read_list("gradient", o.gradient, p.count),
                          written_list("master", o.master, p.count),
                          written_list("velocity", o.velocity, p.count, !(p.momentum > 0)),
                          written_list("copy", o.copy, p.count, true), flag_of(o.nonfinite));
}

template <class Operands>
void check_adamw(const adamw_problem& p, const Operands& o) {
    check_parameter_count(p.count);
    check_rates(p.rate, p.weight_decay, p.loss_scale);
    require_share("beta1", p.beta1), require_share("beta2", p.beta2);
    require_real(p.epsilon > 0 && p.epsilon < 1e30, "epsilon", p.epsilon, "it must be positive and finite");
    require(p.step >= 1, "step", p.step, "the first step is 1");
    check_parameter_lists(read_list("gradient", o.gradient, p.count),
                          written_list("master", o.master, p.count),
                          written_list("first_moment", o.first_moment, p.count),
                          written_list("second_moment", o.second_moment, p.count),
                          written_list("copy", o.copy, p.count, true), flag_of(o.nonfinite));
}

}  // namespace FADE_NAMESPACE::kernel

// What a call asks a database of tuned policies, and what it hears. The database itself: <fade/tune.hpp>.
#pragma once
#include <fade/core/dtype.hpp>
#include <fade/kernel/gemm/policy.hpp>
#include <string>

namespace FADE_NAMESPACE {

/// A problem as tuning knows it. `kind` holds what must be equal: layout, types, epilogue, reading, split_k.
struct gemm_tuning_problem {
    std::string kind;  ///< in words
    index m = 0;       ///< rows of D
    index n = 0;       ///< columns of D
    index k = 0;       ///< what is summed over
    index batch = 1;   ///< products
    /// Are all fields equal?
    bool operator==(const gemm_tuning_problem&) const = default;
};

/// Where a problem is to run. `traits` are what the machine really has, never a product's name.
struct tuning_machine {
    std::string arch;    ///< the architecture the kernel was compiled for
    std::string traits;  ///< corrected, in words
    /// Are all fields equal?
    bool operator==(const tuning_machine&) const = default;
};

/// exact: a row of this problem; near: one of another size; stale: rows of other sources or another machine
/// alone, which are not used; miss: none; unreadable: the database failed.
enum class tuned_match { exact, near, stale, miss, unreadable };

/// What a database holds for a call.
struct tuned_gemm {
    tuned_match match = tuned_match::miss;  ///< how the row fits
    gemm_policy policy{};                   ///< of an exact or a near row
    int split_k = 1;                        ///< likewise
    std::string why{};                      ///< for report.why
    std::string evidence{};                 ///< for report.evidence
};

/// A source of tuned policies. One object may serve several threads at once.
class tuned_gemms {
public:
    virtual ~tuned_gemms() = default;
    /// Throws nothing but std::bad_alloc: a source that fails answers `unreadable`, with the reason in `why`.
    virtual tuned_gemm find(const gemm_tuning_problem& problem, const tuning_machine& machine) const = 0;
};

}  // namespace FADE_NAMESPACE

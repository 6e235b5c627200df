// What a call asks a database of tuned policies, and what it hears. The database itself: <fade/tune.hpp>.
#pragma once
#include <fade/core/dtype.hpp>
#include <string>
#include <vector>

namespace FADE_NAMESPACE {

/// A problem as tuning knows it, of any operation. `kind` begins with the operation's name and holds what
/// must be equal: layout, types, epilogue, options. Rows of other sizes may be near.
struct tuning_problem {
    std::string kind;          ///< in words
    std::vector<index> sizes;  ///< in the operation's order; of gemm m, n, k and batch
    /// Are all fields equal?
    bool operator==(const tuning_problem&) const = default;
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
struct tuned_policy {
    tuned_match match = tuned_match::miss;  ///< how the row fits
    std::string policy{};                   ///< of an exact or a near row, as tune::policy_json spells it
    std::string why{};                      ///< for report.why
    std::string evidence{};                 ///< for report.evidence
};

/// A source of tuned policies. One object may serve several threads at once.
class tuned_policies {
public:
    virtual ~tuned_policies() = default;
    /// Throws nothing but std::bad_alloc: a source that fails answers `unreadable`, with the reason in `why`.
    virtual tuned_policy find(const tuning_problem& problem, const tuning_machine& machine) const = 0;
};

}  // namespace FADE_NAMESPACE

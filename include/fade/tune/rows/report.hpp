// What is said of a row operator's call, whichever operator it is: such words are compiled once.
#pragma once
#include <fade/core/report.hpp>
#include <fade/core/words.hpp>
#include <fade/kernel/rows/check.hpp>
#include <fade/tune/rows/select.hpp>
#include <fade/tune/tuned.hpp>
#include <string>
#include <string_view>

namespace FADE_NAMESPACE::tune {

/// How rows are taken.
struct row_choice {
    row_kind kind = row_kind::streamed;
    row_policy policy{};
    bool on_host = false;
    bool whole_runs = false;  ///< are all rows whole runs of 16 bytes?
    bool compiled = false;    ///< is the policy none of the program's?
};

/// Why the model takes them so; of as many columns as registers hold.
inline std::string why_of_rows(const row_choice& c, int columns) {
    if (c.on_host) return "a core takes a row at a time, in vectors";
    const std::string_view edges =
        c.whole_runs ? "" : "; rows are not whole aligned runs of 16 bytes, so their ends move by elements";
    if (c.kind == row_kind::streamed)
        return words("a row is longer than registers hold, so each pass reads it again",
                     c.policy.staged ? " beyond what shared memory holds" : "", edges);
    return words("registers of ", name(c.kind), " hold up to ", columns, " columns, so memory is read once",
                 edges);
}

/// What a database said of a call.
struct heard_of_rows {
    std::string why{}, evidence{};
};

inline report report_of_rows(std::string_view call, const kernel::row_size& size, const row_choice& c,
                             int columns, const heard_of_rows& heard) {
    const std::string_view kind = c.compiled ? "compiled" : name(c.kind);
    return {.requested = kernel::size_in_words(call, size),
            .chosen = words("rows ", c.on_host ? "vectors" : kind),
            .why = (heard.evidence.empty() ? why_of_rows(c, columns) : words("rows ", kind)) + heard.why,
            .device = {},
            .arch = {},
            .fallback = !c.on_host && !c.whole_runs,
            .evidence =
                heard.evidence.empty() ? "no measurement of this type and architecture" : heard.evidence};
}

/// What a tuned row must have in common with a call: how many tensors of which type are moved, and how.
inline tuning_problem rows_to_ask(std::string_view call, int tensors, int element_bytes,
                                  const kernel::row_size& size, const row_choice& c) {
    return {.kind = words("rows ", call, ", ", tensors, " tensors of ", element_bytes, " bytes",
                          c.whole_runs || c.on_host ? "" : ", ends by elements"),
            .sizes = {size.rows, size.columns}};
}

}  // namespace FADE_NAMESPACE::tune

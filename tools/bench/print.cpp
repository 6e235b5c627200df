#include "print.hpp"
#include "../common/output.hpp"
#include <nlohmann/json.hpp>

namespace fade::bench {

void printer::print(const answer& a, const nlohmann::ordered_json& problem) {
    std::string out;
    if (asked_.form == output_form::json)
        out = as_json(a, problem) + "\n";
    else if (asked_.form == output_form::csv)
        out = (first_ ? csv_names(a, problem) : "") + as_csv(a, problem);
    else
        out = table_ ? (first_ ? table_head(a, problem) : "") + as_row(a, problem) : as_text(a);
    first_ = false;
    tools::write_output(out);
}

}  // namespace fade::bench

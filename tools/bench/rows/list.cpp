#include "../list.hpp"
#include "request.hpp"
#include "rows.hpp"
#include <cstdio>

namespace fade::bench {

void print_rows_list() {
    std::puts("rows");
    print_held(keys_of_runners<rows_runner>(), {});
    const auto names = row_operator_names();
    print_line("operators", {names.begin(), names.end()});
    print_line("passes", {"fwd", "bwd"});
}

void print_rows_help() {
    std::printf(
        "fade-bench rows --op NAME --device DEV --dtype TYPE --rows N --columns N [options]\n\n"
        "Runs an operator over the rows of a matrix, or over its columns, and says what ran, how long it "
        "took and whether it is "
        "right.\n\n%s\n"
        "--check compares every result with a reference in double precision by ||out - ref|| / ||ref||. "
        "Where terms cancel,\n"
        "||ref|| counts as no less than their size. Places are exact. Where the reference would take more "
        "than some seconds it\n"
        "compares rows chosen at random, and says how many. The rate is bytes: each tensor read or written "
        "once.\n"
        "Exit code: 0 done, 1 a check failed, 2 what was asked for cannot be.\n",
        tools::help_lines(rows_options_known()).c_str());
}

}  // namespace fade::bench

#include "../list.hpp"
#include "conv.hpp"
#include "peer.hpp"
#include <cstdio>

namespace fade::bench {
namespace {

std::vector<std::string> words(std::span<const std::string_view> names) {
    return {names.begin(), names.end()};
}

}  // namespace

void print_conv_list() {
    std::puts("conv");
    print_held(keys_of_runners<conv_runner>(), names_of(conv_peers()));
    print_line("passes", words(conv_pass_names()));
    print_line("layouts", words(conv_layout_names()));
    print_line("algorithms", words(conv_algo_names()));
}

void print_conv_help() {
    std::printf(
        "fade-bench conv --device DEV --dtype TYPE --n N --c N --k N --in SIZES --filter SIZES [options]\n\n"
        "Runs a convolution, or one of its backward passes, and says what ran, how long it took and whether "
        "it is right.\n"
        "fwd makes y of x and w, bwd-data makes dx of dy and w, bwd-weights makes dw of x and dy. Whole "
        "numbers have fwd alone.\n\n%s\n"
        "--check compares the result with direct loops in double precision by ||out - ref|| / ||ref||. Where "
        "those would take\n"
        "more than some seconds it compares pixels (of dw filters) chosen at random, and says how many.\n"
        "Exit code: 0 done, 1 a check failed, 2 what was asked for cannot be.\n",
        tools::help_lines(conv_options_known()).c_str());
}

}  // namespace fade::bench

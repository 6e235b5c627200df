#include "../list.hpp"
#include "attention.hpp"
#include "peer.hpp"
#include <cstdio>

namespace fade::bench {

void print_attention_list() {
    std::puts("attention");
    print_held(keys_of_runners<attention_runner>(), names_of(attention_peers()));
    print_line("passes", {"fwd"});
    std::puts("  options     every one on every device and type, but for --split-kv above 1 on the host and "
              "--scales of types of more than 8 bits: all are chosen at run time");
}

void print_attention_help() {
    std::printf("fade-bench attention --device DEV --dtype TYPE --heads N --seq-q N --seq-k N --head-dim N "
                "[options]\n\n"
                "Runs O = softmax(rules(scale Q K^T)) V and says what ran, how long it took and whether it "
                "is right.\n"
                "Q and O are [batch, seq-q, heads, head-dim], K and V [batch, seq-k, kv-heads, head-dim]; "
                "packed sequences follow each other.\n"
                "With --head-dim-v the heads of V and O have so many elements.\n\n%s\n"
                "--check compares by ||O - ref|| / ||ref||, and the logarithms of the sums (lse) beside it. "
                "Where the reference would take\n"
                "more than some seconds it compares queries chosen at random, and says how many. TFLOP/s "
                "count 2 operations for each query,\n"
                "key and element of a head of Q, and as many of V; half of them with --causal, whatever else "
                "is masked.\n"
                "Exit code: 0 done, 1 a check failed, 2 what was asked for cannot be.\n",
                tools::help_lines(attention_options_known()).c_str());
}

}  // namespace fade::bench

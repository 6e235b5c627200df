// Fails when the host's attention is wrong. Exit 1 at the first that is.
#include "attention_rules.hpp"

using namespace fade;

int main() {
    host_device cpu(4);  // so that shares are small, and some of a short sequence are empty
    auto cases = test::attention_cases(40);
    for (const int seq_k : {275, 600}) {  // several blocks of keys, of which the second begins among those
                                          // that the first queries see
        auto c = test::usual(33);
        c.problem.seq_k = seq_k, c.problem.causal = causal_kind::bottom_right;
        cases.push_back(c);
    }
    auto many = test::usual(200);  // tiles of as many queries as fit the memory of a thread
    many.problem.batch = many.problem.heads = 1, many.problem.seq_q = 5000, many.problem.seq_k = 40;
    auto flat = test::usual(33);  // a scale that is no float: all keys weigh the same
    flat.problem.scale = 1e-60, flat.problem.causal = causal_kind::bottom_right;
    auto sloped = test::usual(33);  // distances of keys from the middle of a block on
    sloped.problem.window_left = 20, sloped.problem.seq_q = 150, sloped.problem.seq_k = 200,
    sloped.alibi = true;
    auto wide = test::usual(33);  // a window that begins more than a block before the keys
    wide.problem.window_left = 300, wide.problem.causal = causal_kind::top_left;
    cases.push_back(flat), cases.push_back(sloped), cases.push_back(wide);
    host_device alone(1);
    auto ruled = test::ruled_case(40);  // several tiles of queries, too
    ruled.problem.seq_q = 150, ruled.problem.seq_k = 300, ruled.lengths_q = {20, 150},
    ruled.lengths_k = {300, 83};
    return test::tried<f32>(alone, {many}) || test::tried<f32>(cpu, cases) || test::tried<bf16>(cpu, cases) ||
           test::tried_rules<f32>(cpu, ruled);
}

// Lists of calls to tune: one a line, in JSON.
#pragma once
#include "tune/workload.hpp"
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace fade::tools {

/// A call of a list.
struct listed_call {
    std::string name;  ///< of the line, for people; may be empty
    work call;
};

/// Lines of these forms, of which `name`, and what has a default in the call, may be left out:
/// {"m": 512, "n": 4096, "k": 4096, "layout": "nt", "batch": 1, "split_k": 1, "name": "q"}
/// {"op": "conv", "pass": "fwd", "n": 8, "c": 64, "k": 64, "in": [56, 56], "filter": [3, 3],
///  "stride": [1, 1], "pad": [1, 1], "dilation": [1, 1], "groups": 1, "layout": "nhwc"}
/// {"op": "attention", "batch": 1, "heads": 32, "kv_heads": 8, "seq_q": 512, "seq_k": 512, "head_dim": 128,
///  "causal": "bottom-right"}
/// {"op": "rms_norm", "rows": 512, "columns": 4096}, also of layer_norm, softmax and log_softmax
/// Throws refusal for a file that cannot be read, and for a line that is none of these.
std::vector<listed_call> read_list(const std::string& path);

/// "gemm, conv, ... and log_softmax": what `op` may be.
std::string all_operations();

/// The call of one such line. Throws refusal, without a full stop, for what is none.
work work_of(const nlohmann::json& line);

}  // namespace fade::tools

#include "peer.hpp"
#include <algorithm>
#include "../gemm/call.hpp"

namespace fade::bench {
namespace {

bool holds(const std::vector<std::string>& names, const std::string& name) { return std::ranges::count(names, name) > 0; }

}  // namespace

const attention_peer& find_attention_peer(const attention_request& r, const device_choice& device) {
    const auto names = names_of_peers<attention_call>();
    if (!holds(names, *r.peer) && holds(names_of_peers<gemm_call>(), *r.peer))
        throw tools::refusal("--vs is " + *r.peer + ", which has no attention here; peers of attention are " + (names.empty() ? "none" : tools::listed(names)) + ".");
    const attention_peer& found = find_peer<attention_call>("attention", r, device);
    if (r.softcap || r.dropout || r.alibi || r.bias || r.sink || r.head_scales || r.lengths || r.page || r.value_dim() != r.head_dim)
        throw tools::refusal("--vs is " + found.name + ", which is measured on sequences of one length without --softcap, --dropout, --alibi, --bias, --sink, --scales, --page and --head-dim-v.");
    return found;
}

}  // namespace fade::bench

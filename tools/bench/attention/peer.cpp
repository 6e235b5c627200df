#include "peer.hpp"
#include "../gemm/peer.hpp"

namespace fade::bench {

const std::vector<peer>& attention_peers() {
    static const std::vector<peer> all = {
#if FADE_PEER_OPENBLAS
        {"openblas", "host", {fade::dtype::f32}, "openblas (unfused: GEMM, softmax, GEMM for each head)"},
#endif
    };
    return all;
}

const peer& find_attention_peer(const attention_request& r, const device_choice& device) {
    const auto names = names_of(attention_peers()), of_gemm = names_of(gemm_peers());
    if (!std::ranges::count(names, *r.peer) && std::ranges::count(of_gemm, *r.peer))
        throw tools::refusal("--vs is " + *r.peer + ", which has no attention here; peers of attention are " +
                             (names.empty() ? "none" : tools::listed(names)) + ".");
    const peer& found = find_peer("attention", attention_peers(), r, device);
    if (r.softcap || r.dropout || r.alibi || r.bias || r.sink || r.head_scales || r.lengths || r.starts ||
        r.page || r.value_dim() != r.head_dim)
        throw tools::refusal("--vs is " + found.name +
                             ", which is measured on sequences of one length without --softcap, --dropout, "
                             "--alibi, --bias, --sink, --scales, --page, --starts-k and --head-dim-v.");
    return found;
}

}  // namespace fade::bench

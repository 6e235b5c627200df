#include "peer.hpp"

namespace fade::bench {

const std::vector<peer>& conv_peers() {
    using enum fade::dtype;
    static const std::vector<peer> all = {
#if FADE_PEER_ONEDNN
        {"onednn", "host", {f32, bf16}, "onednn (its filters in its own order before it is timed)"},
#endif
    };
    return all;
}

const peer& find_conv_peer(const conv_request& r, const device_choice& device) {
    const peer& found = find_peer("conv", conv_peers(), r, device);
    if (r.channels_first)
        throw tools::refusal("--vs is " + found.name + ", which is measured on --layout nhwc.");
    return found;
}

}  // namespace fade::bench

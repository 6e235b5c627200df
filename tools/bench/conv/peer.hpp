// Libraries that compute convolutions.
#pragma once
#include "../peer.hpp"
#include "call.hpp"
#include "request.hpp"

namespace fade::bench {

/// Those that this program was built with.
const std::vector<peer>& conv_peers();

/// The peer for a request, or a refusal that names what stands in the way.
const peer& find_conv_peer(const conv_request& request, const device_choice& device);

}  // namespace fade::bench

// Libraries that compute attention.
#pragma once
#include "../peer.hpp"
#include "call.hpp"
#include "request.hpp"

namespace fade::bench {

using attention_peer = peer<attention_call>;

/// The peer for a request, or a refusal that names what stands in the way.
const attention_peer& find_attention_peer(const attention_request& request, const device_choice& device);

}  // namespace fade::bench

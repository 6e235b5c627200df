// Libraries that multiply plain matrices: no epilogue, beta = 0.
#pragma once
#include "../peer.hpp"
#include "call.hpp"
#include "request.hpp"

namespace fade::bench {

/// Those that this program was built with.
const std::vector<peer>& gemm_peers();

/// The peer for a request, or a refusal that names what stands in the way.
const peer& find_gemm_peer(const gemm_request& request, const device_choice& device);

}  // namespace fade::bench

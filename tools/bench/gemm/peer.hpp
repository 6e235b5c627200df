// Libraries that multiply plain matrices: no epilogue, beta = 0.
#pragma once
#include "../peer.hpp"
#include "call.hpp"
#include "request.hpp"

namespace fade::bench {

using gemm_peer = peer<gemm_call>;

/// The peer for a request, or a refusal that names what stands in the way.
const gemm_peer& find_gemm_peer(const gemm_request& request, const device_choice& device);

}  // namespace fade::bench

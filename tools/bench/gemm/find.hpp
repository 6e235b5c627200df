// Who serves a multiplication.
#pragma once
#include "../devices.hpp"
#include "call.hpp"
#include "request.hpp"

namespace fade::bench {

/// The runner of a request on a device, or a refusal that names what is held.
const gemm_runner& find_runner(const gemm_request& request, const std::string& kind, const gemm_call& call);

/// Who knows the launches of a request.
const gemm_runner& find_planner(const gemm_request& request, const device_choice& device,
                                const gemm_call& call);

}  // namespace fade::bench

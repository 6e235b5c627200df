#include "peer.hpp"

namespace fade::bench {

const gemm_peer& find_gemm_peer(const gemm_request& request, const device_choice& device) {
    const gemm_peer& found = find_peer<gemm_call>("gemm", request, device);
    if (request.beta != 0 || !request.epilogue.empty())
        throw tools::refusal("--vs is " + found.name + ", which is measured without C and without an epilogue: leave out --beta and --epilogue.");
    return found;
}

}  // namespace fade::bench

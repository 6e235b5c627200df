#include "peer.hpp"

namespace fade::bench {

const std::vector<peer>& gemm_peers() {
    using enum fade::dtype;
    static const std::vector<peer> all = {
#if FADE_PEER_OPENBLAS
        {"openblas", "host", {f32}},
#endif
#if FADE_PEER_ONEDNN
        {"onednn", "host", {f32, bf16, i8}},
#endif
#if FADE_PEER_CUBLAS
        {"cublas", "cuda", {f32, f16, bf16}},
#endif
#if FADE_PEER_CUBLASLT
        {"cublaslt", "cuda", {f64, f32, f16, bf16, i8, f8e4m3}, "cublaslt, the best of its first 8"},
#endif
    };
    return all;
}

const peer& find_gemm_peer(const gemm_request& request, const device_choice& device) {
    const peer& found = find_peer("gemm", gemm_peers(), request, device);
    if (request.beta != 0 || !request.epilogue.empty())
        throw tools::refusal(
            "--vs is " + found.name +
            ", which is measured without C and without an epilogue: leave out --beta and --epilogue.");
    return found;
}

}  // namespace fade::bench

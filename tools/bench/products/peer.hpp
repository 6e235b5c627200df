// The dense product of the same sizes, in turns with a product: what quantisation, groups or gates bring.
#pragma once
#include "../peer.hpp"
#include "data.hpp"

namespace fade::bench {

/// FADE's own gemm, and the libraries of others that multiply.
const std::vector<peer>& dense_peers();

/// Refuses a peer that cannot be, and adds its matrices to `all`.
void check_dense_peer(const product_request& request, const device_choice& device, std::vector<matrix>& all);

/// Measures both in turns, once what the peer wrote is what the product wrote, as far as both compute the
/// same: of groups the rows of the largest, whose B the peer has.
void measure_with_dense(answer& out, const product_request& request, const product_data& data,
                        const measured& ours, const on_part& done);

}  // namespace fade::bench

// Libraries that fade-bench measures against. What is known of them stands here; the libraries themselves are
// loaded for --vs alone.
#pragma once
#include "answer.hpp"
#include "matrix.hpp"
#include "peer_library.hpp"
#include "peer_maker.hpp"
#include "timing.hpp"
#include <algorithm>
#include <string>
#include <vector>

namespace fade::bench {

struct peer {
    std::string name;
    std::string device;  ///< the kind of device it runs on
    std::vector<fade::dtype> types;
    std::string says{};  ///< its name in the answer, where more is to be said; else `name`
};

std::vector<std::string> names_of(const std::vector<peer>& peers);

/// The peer that --vs asks for, among those of an operation; or a refusal that names what stands in the way.
const peer& find_peer(std::string_view op, const std::vector<peer>& peers, const request& asked,
                      const device_choice& device);

/// What runs these calls in turn, again and again. Their memory lies on the device.
template <class Call>
measured prepared(std::string_view op, const peer& p, const std::vector<Call>& calls, const element& type) {
    measured out;
    void* found = peer_function(p.name, peer_maker_name(op, p.name));
    reinterpret_cast<peer_maker<Call>*>(found)(out, calls, type);
    return out;
}

/// Measures the kernels of sessions and a peer in turns, once both have written the same to `output`: no
/// further apart than `most_apart`.
void measure_with_peer(answer& out, const peer& other, const measured& ours, const measured& theirs,
                       any_session& memory, const buffer& output, double most_apart, const on_part& done);

}  // namespace fade::bench

// Libraries that fade-bench measures against.
#pragma once
#include <functional>
#include <string>
#include <vector>
#include "answer.hpp"
#include "matrix.hpp"
#include "timing.hpp"

namespace fade::bench {

/// A library that can do an operation.
template <class Call>
struct peer {
    std::string name;
    std::string device;  ///< the kind of device it runs on
    std::vector<fade::dtype> types;
    /// Makes what runs this call again and again; its memory lies on the device.
    std::function<measured(const Call&, const element&)> prepare;
    std::string says{};  ///< its name in the answer, where more is to be said; else `name`
};

/// The peers of an operation that are linked into this program.
template <class Call>
std::vector<peer<Call>>& peers() {
    static std::vector<peer<Call>> all;
    return all;
}

template <class Call>
std::vector<std::string> names_of_peers() {
    std::vector<std::string> out;
    for (const auto& p : peers<Call>()) out.push_back(p.name);
    return out;
}

/// A static object of this type adds a peer.
template <class Call>
struct add_peer {
    explicit add_peer(peer<Call> p) { peers<Call>().push_back(std::move(p)); }
};

/// Refusals that name what stands in the way of a peer.
[[noreturn]] void refuse_peer(const request& asked, std::string_view op, const std::vector<std::string>& names);
void check_peer(const request& asked, const device_choice& device, const std::string& runs_on, const std::vector<fade::dtype>& types);

/// The peer for a request, or a refusal.
template <class Call>
const peer<Call>& find_peer(std::string_view op, const request& asked, const device_choice& device) {
    for (const auto& p : peers<Call>())
        if (p.name == *asked.peer) return check_peer(asked, device, p.device, p.types), p;
    refuse_peer(asked, op, names_of_peers<Call>());
}

/// Measures the kernels of sessions and a peer in turns, once both have written the same to `output`: no further apart than `most_apart`.
void measure_with_peer(answer& out, const std::string& name, const measured& ours, const measured& theirs, any_session& memory, const buffer& output, double most_apart);

}  // namespace fade::bench

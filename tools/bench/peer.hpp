// Libraries that fade-bench measures against.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>
#include "element.hpp"
#include "runner.hpp"
#include "timing.hpp"

namespace fade::bench {

/// A library that multiplies plain matrices: no epilogue, beta = 0.
struct peer {
    std::string name;
    std::string device;  ///< the kind of device it runs on
    std::vector<fade::dtype> types;
    /// Makes what runs this call again and again; its matrices and D lie on the device.
    std::function<measured(const gemm_call&, const element&)> prepare;
};

/// The peers that are linked into this program.
std::vector<peer>& peers();

/// A static object of this type adds a peer.
struct add_peer {
    explicit add_peer(peer p) { peers().push_back(std::move(p)); }
};

/// The peer for a request, or a refusal that names what stands in the way.
const peer& find_peer(const struct gemm_request& request, const struct device_choice& device);

}  // namespace fade::bench

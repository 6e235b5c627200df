#include "peer.hpp"
#include <algorithm>
#include "devices.hpp"

namespace fade::bench {

using tools::refusal;

std::vector<peer>& peers() {
    static std::vector<peer> all;
    return all;
}

const peer& find_peer(const gemm_request& request, const device_choice& device) {
    const auto found = std::ranges::find(peers(), *request.peer, &peer::name);
    if (found == peers().end()) {
        std::vector<std::string> names;
        for (const peer& p : peers()) names.push_back(p.name);
        throw refusal("--vs is " + tools::quoted(*request.peer) + ", but the peers in this fade-bench are " +
                      (names.empty() ? "none" : tools::listed(names)) + ".");
    }
    if (found->device != device.kind) throw refusal("--vs is " + found->name + ", which runs on " + found->device + " and not on " + device.name + ".");
    if (!std::ranges::count(found->types, request.in->type))
        throw refusal("--vs is " + found->name + ", which does not multiply " + std::string(request.in->name) + " matrices here.");
    if (request.beta != 0 || !request.epilogue.empty())
        throw refusal("--vs is " + found->name + ", which is measured without C and without an epilogue: leave out --beta and --epilogue.");
    return *found;
}

}  // namespace fade::bench

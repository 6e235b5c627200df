#include "peer.hpp"

namespace fade::bench {

using tools::refusal;

std::vector<std::string> names_of(const std::vector<peer>& peers) {
    std::vector<std::string> out;
    for (const peer& p : peers) out.push_back(p.name);
    return out;
}

const peer& find_peer(std::string_view op, const std::vector<peer>& peers, const request& asked,
                      const device_choice& device) {
    const auto found = std::ranges::find(peers, *asked.peer, &peer::name);
    if (found == peers.end())
        throw refusal("--vs is " + tools::quoted(*asked.peer) + ", but the peers of " + std::string(op) +
                      " in this fade-bench are " + (peers.empty() ? "none" : tools::listed(names_of(peers))) +
                      ".");
    if (found->device != device.kind)
        throw refusal("--vs is " + found->name + ", which runs on " + found->device + " and not on " +
                      device.name + ".");
    if (!std::ranges::count(found->types, asked.in->type))
        throw refusal("--vs is " + found->name + ", which does not take " + std::string(asked.in->name) +
                      " here.");
    return *found;
}

void measure_with_peer(answer& out, const peer& other, const measured& ours, const measured& theirs,
                       any_session& memory, const buffer& output, double most_apart, const on_part& done) {
    const std::vector<std::byte> before(output.data(), output.data() + output.shape().bytes());
    output.poison(), memory.reset();
    theirs.start(), theirs.wait();
    memory.fetch();
    const double apart = difference(output, before);
    if (!(apart <= most_apart))
        throw refusal("--vs is " + other.name + ", whose result for this problem differs from FADE's.");
    const two_timed times =
        interleaved(ours, {theirs.start, theirs.wait, ours.clock}, out.asked->samples, done);
    out.time = times.one;
    out.peer = {other.says.empty() ? other.name : other.says, times.other,
                times.other.median / times.one.median, apart};
}

}  // namespace fade::bench

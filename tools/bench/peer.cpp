#include "peer.hpp"
#include <algorithm>

namespace fade::bench {

using tools::refusal;

void refuse_peer(const request& asked, std::string_view op, const std::vector<std::string>& names) {
    throw refusal("--vs is " + tools::quoted(*asked.peer) + ", but the peers of " + std::string(op) + " in this fade-bench are " +
                  (names.empty() ? "none" : tools::listed(names)) + ".");
}

void check_peer(const request& asked, const device_choice& device, const std::string& runs_on, const std::vector<fade::dtype>& types) {
    if (runs_on != device.kind) throw refusal("--vs is " + *asked.peer + ", which runs on " + runs_on + " and not on " + device.name + ".");
    if (!std::ranges::count(types, asked.in->type))
        throw refusal("--vs is " + *asked.peer + ", which does not take " + std::string(asked.in->name) + " here.");
}

void measure_with_peer(answer& out, const std::string& name, const measured& ours, const measured& theirs, any_session& memory, const buffer& output, double most_apart) {
    const std::vector<std::byte> before(output.data(), output.data() + output.shape().bytes());
    output.poison(), memory.reset();
    theirs.start(), theirs.wait();
    memory.fetch();
    const double apart = difference(output, before);
    if (!(apart <= most_apart)) throw refusal("--vs is " + *out.asked->peer + ", whose result for this problem differs from FADE's.");
    const two_medians ms = interleaved_ms(ours, {theirs.start, theirs.wait, ours.clock});
    out.ms = ms.one;
    out.peer = {name, ms.other, ms.other / ms.one, apart};
}

}  // namespace fade::bench

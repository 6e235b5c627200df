// fade-demo: handwritten digits, classified by nearest neighbours and by a network that it trains, all by
// GEMMs of FADE.
#include "devices.hpp"
#include <cstdio>
#include <fade/core/error.hpp>

namespace {

demo::outcome run(const std::string& name, const demo::settings& s, const demo::digits& data) {
    for (const auto on : {demo::on_gpu, demo::on_emulated_cdna, demo::on_emulated_rdna, demo::on_host})
        if (auto done = on(name, s, data)) return *done;
    throw fade::error("the device", "'" + name + "'",
                      "this program holds host and emulated:gfx906 942 950 1030 1100 1201, and hip:N or "
                      "cuda:N where it was compiled for those");
}

/// Refuses a second device before the first one has worked for it.
void check_second(demo::settings s, const demo::digits& data) {
    s.epochs = 0;
    if (!s.same_as.empty()) run(s.same_as, s, data);
}

}  // namespace

int main(int count, char** words) try {
    const demo::settings s = demo::parse(count, words);
    const demo::digits data = demo::load_digits(s.data);
    check_second(s, data);
    const demo::outcome o = run(s.device, s, data);
    bool good = demo::print(o, data.held_out);
    if (!s.same_as.empty()) {
        std::printf("\n");
        good = demo::print_same(o, run(s.same_as, s, data), s.device, s.same_as) && good;
    }
    return good ? 0 : 1;
} catch (const std::exception& e) {
    std::fflush(stdout);
    std::fprintf(stderr, "fade-demo: %s.\n", e.what());
    return 2;
}

// Captures a probe of every matrix instruction and of every way to widen 8-bit floats, for one architecture:
// fade-probes-ARCH FOLDER SEED
#include "probe.hpp"
#include "program.hpp"
#include "widen.hpp"

using namespace fade;
using namespace fade::replay;

namespace {

using target_arch = arch::FADE_REPLAY_ARCH;

template <class T>
void widening(const fs::path& at, std::mt19937_64& random) {
    capture_widen<T, target_arch>(at / (std::string("probe-widen-") + name(dtype_v<T>)), random);
}

}  // namespace

int main(int count, char** words) {
    return capture_into_folder(count, words, [](fs::path at, std::uint64_t seed) {
        std::mt19937_64 random(seed);
        capture_probes<target_arch>(at, random);
        widening<f8e4m3>(at, random), widening<f8e5m2>(at, random);
        widening<f8e4m3fnuz>(at, random), widening<f8e5m2fnuz>(at, random);
    });
}

// What training leaves, and what a device makes of it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace demo {

/// How the products of a network are computed; parameters are f32 in every case.
enum class arithmetic {
    f32,
    mixed,  ///< f16, with a loss that is scaled
    i8      ///< dynamic quantisation: what products see gets its factors while they run; no training
};

struct model {
    std::string name;
    arithmetic kind;
    std::vector<float> parameters;
};

/// What a device makes of a model.
struct answers {
    std::vector<int> said;        ///< of the images held out
    std::vector<float> gradient;  ///< by the parameters, of one batch; none of i8
};

/// The largest batches that the memory of a device holds.
struct batch_limits {
    std::uint64_t free_bytes, image_bytes, image_bytes_recomputed;
    int kept, recomputed;  ///< images, with activations kept and with them computed again
};

}  // namespace demo

// What the demo is asked to do.
#pragma once
#include <cstdint>
#include <string>

namespace demo {

/// What a stage computes and only its gradient wants: kept, or computed again (activation checkpointing;
/// Chen et al., "Training Deep Nets with Sublinear Memory Cost", 2016).
enum class activations { kept, recomputed };

struct settings {
    std::string device = "auto";
    std::string data;     ///< the file of digits, where it is not the shipped one
    std::string picture;  ///< a file for the learning curves; empty: none
    int epochs = 12, batch = 32;
    std::uint64_t seed = 4;
    demo::activations activations = demo::activations::kept;
    int examined = 1'000'000;  ///< images held out that devices classify, where there are as many
    float required = 98.5f;    ///< per cent that must be right
};

/// Throws fade::error for anything that cannot be. Prints the help and ends the program where that is asked
/// for.
settings parse(int count, char** words);

}  // namespace demo

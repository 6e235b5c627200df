// What the demo is asked to do.
#pragma once
#include <cstdint>
#include <string>

namespace demo {

struct settings {
    std::string device = "auto";
    std::string same_as;  ///< a second device, whose predictions must be the same
    std::string data;     ///< the file of digits, where it is not the shipped one
    int epochs = 40;
    std::uint64_t seed =
        4;  ///< a start that leaves no near tie: rounding decides no prediction, whatever the machine

    int hidden = 128, batch = 64;
    float rate = 0.3f, momentum = 0.9f, decay = 1e-3f;
};

/// Throws fade::error for anything that cannot be. Prints the help and ends the program where that is asked
/// for.
settings parse(int count, char** words);

}  // namespace demo

// What else the machine does while something is measured.
#pragma once
#include <chrono>
#include <optional>

namespace fade::bench {

/// Watches the processors from its beginning on.
class load_watch {
public:
    load_watch();

    /// The share of all processors that others have taken since then, from 0 to 1; none where the machine
    /// does not say, or where too little time has passed to tell.
    std::optional<double> others() const;

private:
    struct access {
        double busy, own;  ///< seconds of all processors, and of this program
        int processors;
    };
    static std::optional<access> read();

    std::chrono::steady_clock::time_point start_;
    std::optional<access> first_;
};

/// A share from which on others disturb a measurement.
inline constexpr double disturbing = 0.15;

}  // namespace fade::bench

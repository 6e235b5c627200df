// When a run must have done its work, so that its program ends within the budget.
#pragma once
#include <algorithm>
#include <chrono>

namespace fade::tools {

/// Closing files and ending takes no longer than opening did, which was done since `begin`: that much is left
/// over, but no more than a twentieth of the budget.
inline std::chrono::steady_clock::time_point end_of_work(std::chrono::steady_clock::time_point begin,
                                                         std::chrono::duration<double> budget) {
    using clock = std::chrono::steady_clock;
    const std::chrono::duration<double> opened = clock::now() - begin;
    return begin + std::chrono::duration_cast<clock::duration>(budget - std::min(opened, budget / 20));
}

}  // namespace fade::tools

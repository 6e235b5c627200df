// fade-tune verify: times rows of a database again on this CPU.
#pragma once
#include "tune/workload.hpp"
#include <memory>
#include <string>

namespace fade::tools {

/// How verify judges.
struct verify_options {
    std::unique_ptr<timed_device> device{};  ///< where rows are timed
    double bound = 0.25;                     ///< a time may differ by this part of the row's own
    bool prune = false;                      ///< remove rows that lost
};

/// Prints a line of JSON a row. Does every row that was timed hold, which is: beat the model's choice, and
/// lie within the bound? Ctrl-C ends it behind the row that is being timed.
bool verify_rows(const std::string& database, const verify_options& options);

}  // namespace fade::tools

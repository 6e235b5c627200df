// fade-tune run: times the calls of a list, and keeps what wins.
#pragma once
#include "tune/list.hpp"
#include <chrono>
#include <fade/device/tune/find_options.hpp>
#include <memory>
#include <string>
#include <vector>

namespace fade::tools {

/// How a list is run.
struct run_options {
    std::string database;
    std::unique_ptr<timed_device> device{};  ///< where calls are timed
    bool json = false;                       ///< a line of JSON a call, not one for people
    find_options find{};                     ///< whose budget is that of all calls
};

/// Finds until all calls are done, the budget is spent or Ctrl-C is pressed; prints a line a call.
/// Each row is kept as soon as it is found.
void run_list(const std::vector<listed_call>& list, const run_options& options);

}  // namespace fade::tools

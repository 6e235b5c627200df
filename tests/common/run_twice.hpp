// A call whose result is held against a reference, and against its own on a device of other threads.
#pragma once
#include "common/property.hpp"
#include <fade/core/error.hpp>
#include <set>
#include <string>

namespace fade::test {

/// What is wrong with a trial's call; nothing if all is right. Kernels go to `reached`. The trial has of(),
/// poison_output(), call(device), fault_of(report), difference() and its result d().
template <class Arch, class Trial>
std::string run_twice(Trial& trial, std::set<std::string>& reached) {
    const auto& of = trial.of();
    auto device = device_of<Arch>(of.threads, of.compute_units);
    trial.poison_output();
    try {
        const report said = trial.call(device);
        reached.insert(said.chosen.substr(0, said.chosen.find(' ')));
        if (const std::string wrong = trial.fault_of(said); !wrong.empty()) return wrong;
    } catch (const error& e) {
        return std::string("refused: ") + e.what();
    }
    if (trial.d().disturbed()) return "elements outside D were written";
    const std::string wrong = trial.difference();
    if (!wrong.empty()) return wrong;
    const auto first = trial.d().bytes();
    auto other = device_of<Arch>(of.threads % 3 + 1, of.compute_units);
    trial.poison_output();
    trial.call(other);
    return trial.d().same_bytes(first) ? "" : "two runs give different bits";
}

}  // namespace fade::test

// What fade-bench answers.
#pragma once
#include <optional>
#include <string>
#include <nlohmann/json_fwd.hpp>
#include "check.hpp"
#include "devices.hpp"
#include "request.hpp"
#include "runner.hpp"

namespace fade::bench {

struct peer_figure {
    std::string name;
    double ms, ratio, difference;  ///< peer time / FADE time; ||peer - FADE|| / ||FADE||
};

/// An answer to a request: of a run, or (without `ms`) of a plan.
struct answer {
    std::string_view op;
    const request* asked;
    device_choice device;
    double operations = 0;      ///< floating-point operations of the problem
    kernel_choice choice{};
    std::optional<double> ms{};
    std::uint64_t checksum = 0;
    std::optional<check_result> check{};
    std::optional<peer_figure> peer{};

    double tflops() const { return operations / *ms / 1e9; }
};

/// One line of strict JSON. `problem` echoes the options of the operation.
std::string as_json(const answer& a, const nlohmann::ordered_json& problem);

/// Some lines for a human.
std::string as_text(const answer& a);

/// Prints the answer as asked; the exit code.
int print_answer(const answer& a, const nlohmann::ordered_json& problem);

}  // namespace fade::bench

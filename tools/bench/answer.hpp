// What fade-bench answers.
#pragma once
#include <optional>
#include <string>
#include "check.hpp"
#include "devices.hpp"
#include "runner.hpp"

namespace fade::bench {

struct peer_figure {
    std::string name;
    double ms, ratio, difference;  ///< peer time / FADE time; ||peer - FADE|| / ||FADE||
};

/// An answer to a request: of a run, or (without `ms`) of a plan.
struct gemm_answer {
    const gemm_request* request;
    device_choice device;
    gemm_choice choice{};      ///< of the problem with the most work, with the launches of all
    std::optional<double> ms{};
    std::uint64_t checksum = 0;
    std::optional<check_result> check{};
    std::optional<peer_figure> peer{};

    /// Two operations a product; nothing else counts.
    double operations() const;
    double tflops() const { return operations() / *ms / 1e9; }
};

/// One line of strict JSON.
std::string as_json(const gemm_answer& answer);

/// Some lines for a human.
std::string as_text(const gemm_answer& answer);

}  // namespace fade::bench

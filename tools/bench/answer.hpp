// What fade-bench answers.
#pragma once
#include "../common/figures.hpp"
#include "check.hpp"
#include "devices.hpp"
#include "request.hpp"
#include "runner.hpp"
#include <functional>
#include <optional>
#include <string>

namespace fade::bench {

struct peer_figure {
    std::string name;
    timed time;
    double ratio, difference;  ///< peer time / FADE time; ||peer - FADE|| / ||FADE||
};

/// An answer to a request: of a run, or (without `time`) of a plan.
struct answer {
    std::string_view op;
    const request* asked;
    device_choice device;
    double operations = 0;  ///< floating-point operations of the problem
    kernel_choice choice{};
    std::optional<timed> time{};
    std::uint64_t checksum = 0;
    std::optional<check_result> check{};
    std::optional<peer_figure> peer{};
    double bytes = 0;  ///< of memory that the problem must read and write, where that is its measure; else 0

    /// Bytes a second, in 10^9.
    double gbps() const { return bytes / time->median / 1e6; }
    double tflops() const { return operations / time->median / 1e9; }
};

/// Told what goes on with a problem, and how much of it is done, from 0 to 1.
using on_step = std::function<void(const char* what, double part)>;

/// The part of a problem's steps that making its inputs, its first run and its check are; then it is
/// measured.
struct step_part {
    static constexpr double inputs = 0, run = 0.1, check = 0.3, measure = 0.6;
};

/// What tells of the part that is measured.
inline on_part measuring_part(const on_step& step) {
    return [&step](double part) { step("measures", step_part::measure + (1 - step_part::measure) * part); };
}

}  // namespace fade::bench

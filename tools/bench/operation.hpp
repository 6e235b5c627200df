// What every operation does with the problems of a command line.
#pragma once
#include "answer.hpp"
#include "matrix.hpp"
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace fade::bench {

/// One problem of a command line, on its device.
class problem_run {
public:
    virtual ~problem_run() = default;

    virtual const request& asked() const = 0;
    virtual const device_choice& device() const = 0;
    /// The options of the operation, as they were understood.
    virtual nlohmann::ordered_json echo() const = 0;
    /// Refuses what cannot be, before any work is done.
    virtual void check_possible() const = 0;
    virtual answer planned() const = 0;
    /// Runs, times and (where asked) checks, captures and compares with a peer.
    virtual answer run(const on_step& step) const = 0;
};

using problem_runs = std::vector<std::unique_ptr<problem_run>>;

/// Answers all problems of a command line, a line or a paragraph each; the exit code.
int answer_all(const problem_runs& problems);

/// How many sets of these bytes to take turns with, so that a device's last cache holds none of them until
/// its turn comes again; 1 where caches may stay warm, and where it is not known how large they are.
int sets_of_memory(const request& asked, const device_choice& device, std::uint64_t bytes);

/// Refuses matrices that do not fit into memory, in as many sets as are needed.
void check_memory_of(const request& asked, const device_choice& device, const std::vector<matrix>& all,
                     std::uint64_t workspace_bytes);

}  // namespace fade::bench

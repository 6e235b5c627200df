// Reports and plans as C has them.
#pragma once
#include "backend.hpp"

struct fade_report {
    fade::report said;
};
struct fade_plan {
    std::vector<fade::planned_launch> launches;
    std::size_t workspace_bytes;
};

namespace fade::c {

/// Gives the caller what its options ask for of an outcome.
void hand_out(outcome&& what, const fade_options& options);

}  // namespace fade::c

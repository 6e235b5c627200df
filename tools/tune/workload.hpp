// A call in f32 that fade-tune tunes, with tensors of its own.
#pragma once
#include <fade/tune.hpp>
#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace fade::tools {

/// A convolution, and which of its passes.
struct conv_work {
    conv_pass pass = conv_pass::forward;
    conv_problem problem{};
};

/// What lists and rows name.
using work = std::variant<gemm_problem, conv_work, attention_problem>;

/// Of one operation. Tensors are memory that is not set until fill().
class workload {
public:
    virtual ~workload() = default;
    virtual void fill() = 0;
    /// Asks a database, without running anything.
    virtual report plan(host_device& device, const tuned_policies& source) = 0;
    virtual found_policy find(host_device& device, tuning_database& rows, const find_options& options) = 0;
    virtual verification verify(host_device& device, const tune::tuning_row& row) = 0;
};

/// Numbers in its operands, as a real: it may pass what integers hold.
double elements_of(const work& w);

std::unique_ptr<workload> make_workload(const gemm_problem& p);
std::unique_ptr<workload> make_workload(const conv_work& w);
std::unique_ptr<workload> make_workload(const attention_problem& p);
std::unique_ptr<workload> make_workload(const work& w);

/// The call of a row; nothing for a row of other types, options or operations.
std::optional<work> work_of(const tuning_problem& p);

}  // namespace fade::tools

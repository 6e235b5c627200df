// A call that fade-tune tunes, with tensors of its own, and the devices that it is timed on.
#pragma once
#include <array>
#include <fade/tune.hpp>
#include <fade/tune/module/kernel_cache.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fade::tools {

/// A product, and the split_k of the calls that will ask for its row. None: `gemm_options` have 1, and on a
/// GPU many say 0, which leaves it to the row; each has a row of its own.
struct product_work : gemm_problem {
    std::optional<int> split_k{};
};

/// A convolution, and which of its passes.
struct conv_work {
    conv_pass pass = conv_pass::forward;
    conv_problem problem{};
};

/// A row operator with rows that lie one behind the other.
enum class row_operator { rms_norm, layer_norm, softmax, log_softmax };
constexpr const char* name(row_operator o) {
    constexpr const char* names[] = {"rms_norm", "layer_norm", "softmax", "log_softmax"};
    return names[int(o)];
}
inline constexpr std::array row_operators{row_operator::rms_norm, row_operator::layer_norm,
                                          row_operator::softmax, row_operator::log_softmax};
struct rows_work {
    row_operator what = row_operator::rms_norm;
    fade::index rows = 0, columns = 0;
    const char* name() const { return tools::name(what); }
};

/// What lists and rows name.
using work = std::variant<product_work, conv_work, attention_problem, rows_work>;

/// Of one operation on one device, which outlives it. Tensors are memory that is not set until fill().
class workload {
public:
    virtual ~workload() = default;
    virtual void fill() = 0;
    /// Asks a database, without running anything.
    virtual report plan(const tuned_policies& source) = 0;
    virtual found_policy find(tuning_database& rows, const find_options& options) = 0;
    virtual verification verify(const tune::tuning_row& row) = 0;
};

/// A device whose calls are timed, in one type.
class timed_device {
public:
    virtual ~timed_device() = default;
    /// Null where this program has no kernels for it there.
    virtual std::unique_ptr<workload> make(const work& w) = 0;
    virtual std::string dtype() const = 0;
    /// Do workgroups share k on it?
    virtual bool shares_k() const = 0;
    /// Seconds that filling tensors of so many numbers takes at most.
    virtual double seconds_to_fill(double numbers) const = 0;
};

/// This CPU, with so many threads, in f32.
std::unique_ptr<timed_device> timed_host(int threads);

/// Where a GPU's kernels come from that this program does not hold.
struct kernels_on_demand {
    kernel_options options{};
    std::vector<gemm_policy> candidates{};  ///< of products and convolutions, before the library's
    std::size_t max = 24;                   ///< of the library's, a call
};

/// GPUs that an object of this program was compiled for.
struct gpu_kind {
    std::string_view kind, dtype;  ///< "cuda", "f16"
    std::unique_ptr<timed_device> (*open)(int number, const std::optional<kernels_on_demand>& kernels);
};
inline std::vector<gpu_kind>& gpu_kinds() {
    static std::vector<gpu_kind> all;
    return all;
}

/// The device of `--device host`, cuda:NUMBER or hip:NUMBER. Throws refusal where this program has none of
/// that kind and type, and fade::error where there is no such device. `kernels` are of GPUs.
std::unique_ptr<timed_device> timed_device_of(std::string_view device, std::string_view dtype, int threads,
                                              const std::optional<kernels_on_demand>& kernels = {});

/// Numbers in its operands, as a real: it may pass what integers hold.
double elements_of(const work& w);

std::unique_ptr<workload> make_workload(host_device& device, const product_work& p);
std::unique_ptr<workload> make_workload(host_device& device, const conv_work& w);
std::unique_ptr<workload> make_workload(host_device& device, const attention_problem& p);
std::unique_ptr<workload> make_workload(host_device& device, const rows_work& w);

/// The call of a row in one type; nothing for a row of other types, options or operations.
std::optional<work> work_of(const tuning_problem& p, const std::string& dtype);

}  // namespace fade::tools

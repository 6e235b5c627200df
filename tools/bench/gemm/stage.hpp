// The stages of an epilogue by name, and what each does to a value.
#pragma once
#include <fade/core/dtype.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace fade::bench {

/// The buffer that a stage reads beside the value: none, one element a column, a row or an output.
enum class stage_operand { none, column, row, output };

struct stage {
    std::string_view name;
    stage_operand operand;
    double (*apply)(double value, double operand);
    std::string_view says;
};

inline constexpr double scale_factor = 0.5;
inline constexpr double clamp_low = -1, clamp_high = 1;

/// All stages that this program knows.
const std::vector<stage>& stages();

using chain = std::vector<const stage*>;

/// "bias+gelu" as stages; "none" is the empty chain. Throws a refusal that names what is known.
chain parse_chain(std::string_view text);

/// "bias+gelu", or "none".
std::string name(const chain& c);

/// Of these names of chains, the one that takes the fewest changes of stages.
std::string nearest_chain(const chain& asked, const std::vector<std::string>& held);

/// The chains that the program promises to hold on host and emulated devices, beside none.
const std::vector<std::string>& promised_chains();

}  // namespace fade::bench

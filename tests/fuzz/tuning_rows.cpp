// Any bytes as lines that fade-tune imports: a row that comes back the same, or refused with a sentence.
#include "common/refusal.hpp"
#include "tune/json_lines.hpp"
#include <cstdint>
#include <cstdlib>
#include <fade/tune/policy_json.hpp>
#include <sstream>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
    int number = 0;
    for (std::string line; std::getline(lines, line);) try {
            const fade::tune::tuning_row row = fade::tools::row_of(line, ++number);
            if (!fade::tune::looks_like_policy(row.policy)) std::abort();
            if (fade::tools::row_of(fade::tools::line_of(row), 1) != row) std::abort();
        } catch (const fade::tools::refusal& refused) {
            if (!std::string(refused.what()).starts_with("Line " + std::to_string(number))) std::abort();
        }
    return 0;
}

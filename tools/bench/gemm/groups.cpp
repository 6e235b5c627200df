#include "../../common/numbers.hpp"
#include "request.hpp"
#include <filesystem>
#include <fstream>

namespace fade::bench {
namespace {

constexpr std::size_t longest_line = 200, max_groups = 100000;

/// The words of a line, separated by blanks.
std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> out;
    for (std::size_t to; (to = line.find_first_not_of(" \t\r")) != line.npos; line.remove_prefix(to)) {
        line.remove_prefix(to);
        to = std::min(line.find_first_of(" \t\r"), line.size());
        out.push_back(line.substr(0, to));
    }
    return out;
}

gemm_sizes sizes_of(std::string_view line, const std::string& where) {
    const auto words = words_of(line.substr(0, longest_line));
    if (line.size() > longest_line || words.size() != 3)
        throw tools::refusal(where + " is " + tools::quoted(line) + ", but must hold three numbers, m n k.");
    const auto size = [&](int i, const char* what) { return tools::whole(where + ": " + what, words[i]); };
    return {size(0, "m"), size(1, "n"), size(2, "k")};
}

}  // namespace

std::vector<gemm_sizes> read_groups(const std::string& path) {
    std::ifstream file(path);
    const std::string named = "--grouped " + tools::quoted(path);
    if (!file || !std::filesystem::is_regular_file(path))
        throw tools::refusal(named + " is no file that can be read.");
    std::vector<gemm_sizes> out;
    for (std::string line; std::getline(file, line);) {
        out.push_back(sizes_of(line, named + ", line " + std::to_string(out.size() + 1)));
        if (out.size() > max_groups) throw tools::refusal(named + " has more than 100000 lines.");
    }
    if (out.empty())
        throw tools::refusal(named + " is empty, but must hold a line `m n k` for each problem.");
    return out;
}

}  // namespace fade::bench

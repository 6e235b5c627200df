#include "digits.hpp"

#include <fade/core/error.hpp>
#include <filesystem>
#include <fstream>

namespace demo {
namespace {

/// The file beside the sources, or below the current folder or one that holds it.
std::string shipped_file() {
    namespace fs = std::filesystem;
    const fs::path name = fs::path("examples") / "data" / "digits.csv";
    const fs::path beside = fs::path(__FILE__).parent_path().parent_path() / "data" / "digits.csv";
    if (fs::exists(beside)) return beside.string();
    for (fs::path at = fs::current_path();; at = at.parent_path()) {
        if (fs::exists(at / name)) return (at / name).string();
        if (at == at.parent_path()) return name.string();
    }
}

/// The 65 numbers of a line; empty where the line is anything else.
std::vector<int> numbers_of(const std::string& line) {
    std::vector<int> out;
    int value = -1;
    for (const char c : line + ",") {
        if (c >= '0' && c <= '9' && value < 100)
            value = (value < 0 ? 0 : 10 * value) + (c - '0');
        else if (c == ',' && value >= 0)
            out.push_back(value), value = -1;
        else if (c != '\r')
            return {};
    }
    if (out.size() != pixels + 1 || out.back() >= classes) return {};
    for (int i = 0; i < pixels; ++i)
        if (out[std::size_t(i)] > 16) return {};
    return out;
}

}  // namespace

digits load_digits(const std::string& file) {
    const std::string name = file.empty() ? shipped_file() : file;
    std::ifstream in(name);
    if (!in) throw fade::error("--data", name, "there is no such file to read");
    digits out;
    int line_number = 0;
    for (std::string line; std::getline(in, line);) {
        const std::vector<int> row = numbers_of(line);
        if (row.empty())
            throw fade::error("line " + std::to_string(line_number + 1) + " of " + name, "something else",
                              "a line is 64 numbers from 0 to 16 and a digit, with commas between them");
        image_set& set = ++line_number % 4 == 0 ? out.held_out : out.train;
        set.images.insert(set.images.end(), row.begin(), row.end() - 1);
        set.labels.push_back(row.back());
    }
    if (out.train.count() < 64 || out.held_out.count() == 0)
        throw fade::error("--data", name + ", which is short",
                          "the demo learns from at least 64 images and holds back every fourth");
    return out;
}

}  // namespace demo

#include "tune/list.hpp"
#include "common/refusal.hpp"
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

namespace fade::tools {

namespace {
using json = nlohmann::json;

fade::index size_of(const json& line, const char* name) {
    const json& value = line.at(name);
    constexpr int max = 1 << 20;
    if (!value.is_number_integer() || value.get<double>() < 1 || value.get<double>() > max)
        throw refusal(std::string(name) + " is no whole number of 1 to " + std::to_string(max));
    return value.get<fade::index>();
}

gemm_layout layout_of(const std::string& word) {
    using enum gemm_layout;
    for (auto layout : {nn, nt, tn, tt})
        if (word == name(layout)) return layout;
    throw refusal("layout is " + tools::quoted(word) + ": there are nn, nt, tn and tt");
}

gemm_problem problem_of(const json& line) {
    for (const auto& [name, value] : line.items()) {
        constexpr std::string_view known[] = {"m", "n", "k", "layout", "batch", "name"};
        if (std::ranges::find(known, name) == std::end(known))
            throw refusal(tools::quoted(name) + " is no part of a product");
    }
    return {.m = size_of(line, "m"),
            .n = size_of(line, "n"),
            .k = size_of(line, "k"),
            .layout = layout_of(line.value("layout", "nn")),
            .batch = line.contains("batch") ? size_of(line, "batch") : 1};
}
}  // namespace

std::vector<gemm_problem> read_list(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw refusal("The list " + tools::quoted(path) + " cannot be read.");
    std::vector<gemm_problem> out;
    for (std::string text; std::getline(file, text);) {
        try {
            out.push_back(problem_of(json::parse(text)));
        } catch (const std::exception& e) {
            std::string why = e.what();  // which may quote half a character
            std::ranges::replace_if(why, [](unsigned char c) { return c >= 127; }, '?');
            throw refusal("Line " + std::to_string(out.size() + 1) + " is no product: " + why + ".");
        }
    }
    if (out.empty()) throw refusal("The list " + tools::quoted(path) + " has no line.");
    return out;
}

}  // namespace fade::tools

// fade-doctor: what the machine reports, what is true, from which source, and what to do.
#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>
#include "common/command_line.hpp"
#include "record.hpp"
#include "to_json.hpp"

namespace fade::doctor {
namespace {

constexpr tools::option options[] = {
    {"json", "", "print one JSON object instead of tables"},
    {"from", "RECORD.json", "describe a recorded device instead of this machine"},
};

int run(std::span<const std::string_view> words) {
    if (std::ranges::count(words, std::string_view("--help"))) {
        std::printf("fade-doctor [options]\n\n%s", tools::help_lines(options).c_str());
        return tools::done;
    }
    const tools::command_line line("fade-doctor", options, words);
    const std::string path(line.need("from"));
    const std::vector<device_description> devices = {describe(read_record(parse_json(read_file(path), tools::quoted(path))))};
    std::printf("%s\n", to_json(devices).dump(1).c_str());
    return std::ranges::all_of(devices, [](const device_description& d) { return d.use.possible; }) ? 0 : 1;
}

}  // namespace
}  // namespace fade::doctor

int main(int argc, char** argv) {
    const std::vector<std::string_view> words(argv + 1, argv + argc);
    return fade::tools::run_program([&] { return fade::doctor::run(words); });
}

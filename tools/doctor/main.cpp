// fade-doctor: what the machine reports, what is true, from which source, and what to do.
#include "common/command_line.hpp"
#include "record.hpp"
#include "runtime.hpp"
#include "table.hpp"
#include "to_json.hpp"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fade/device/live/join.hpp>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace fade::doctor {
namespace {

using tools::refusal;

constexpr tools::option options[] = {
    {"json", "", "print one JSON object instead of tables"},
    {"from", "RECORD.json", "describe a recorded device instead of this machine"},
    {"sysfs", "DIR", "describe the GPUs of a copied /sys instead of this machine's"},
    {"evidence", "", "the architectures that FADE has kernels for, and their proof"},
};

int help() {
    std::printf("fade-doctor [options]\n\nWhat GPUs really are, from which source, and what their runtime "
                "misreports.\n\n%s"
                "\nFADE_CU_COUNT, FADE_GFX and FADE_L2_BYTES set what the user knows better, FADE_CONFIG "
                "names a file that says it per device.\n"
                "Exit code 0: fine, 1: a device that cannot be used, 2: bad input.\n",
                tools::help_lines(options).c_str());
    return tools::done;
}

std::vector<device_description> of_tree(const std::string& folder) {
    const live::tree sys(folder);
    if (!sys.holds("class") && !sys.holds("bus"))
        throw refusal(tools::quoted(folder) + " is no copy of /sys: it holds neither class nor bus.");
    std::vector<device_description> out;
    for (const truth::readings& r : live::read_tree(sys)) out.push_back(describe(r));
    return out;
}

/// What the runtime shows, joined with the kernel's answers by PCI address; then what only the kernel or PCI
/// shows.
std::vector<device_description> of_gpus() {
    std::vector<device_description> out;
    const auto machine = live::read_machine();
    std::vector<std::string> met;
    for (const auto& runtime : runtime_devices()) {
        out.push_back(describe_joined(runtime, machine));
        out.back().versions.merge(runtime_versions());
        met.push_back(live::address_of(runtime) + ".");
    }
    for (const truth::readings& r : machine)
        if (std::ranges::none_of(met, [&](const std::string& m) {
                return m.size() > 1 && r.pci.slot && r.pci.slot->starts_with(m);
            }))
            out.push_back(describe(r));
    return out;
}

const char* none_found() {
    if (live::tree("/").holds("dev/dxg"))
        return "No AMD GPU was found: WSL shows it through its HIP runtime alone, which the fade-doctor of "
               "the hip preset asks.\n";
    return "No AMD GPU was found: /sys/class/kfd and PCI show none.\n";
}

/// Without a GPU there is still this CPU, and a word on why no GPU was found.
std::vector<device_description> of_machine() try {
    static_cast<void>(live::read_user(live::read_config(), ""));  // checked where there is no GPU, too
    auto out = of_gpus();
    if (out.empty()) std::fputs(none_found(), stderr);
    out.push_back(live::describe_cpu());
    return out;
} catch (const error& e) {  // what the user set and cannot be is bad input, as an option would be
    throw refusal(std::string(e.what()) + ".");
}

std::vector<device_description> wanted(const tools::command_line& line) {
    if (line.has("from") && line.has("sysfs")) throw refusal("--from and --sysfs exclude each other.");
    if (const auto path = line.get("from"))
        return {describe(read_record(parse_json(read_file(std::string(*path)), tools::quoted(*path))))};
    if (const auto folder = line.get("sysfs")) return of_tree(std::string(*folder));
    return of_machine();
}

int run(std::span<const std::string_view> words) {
    if (std::ranges::count(words, std::string_view("--help"))) return help();
    const tools::command_line line("fade-doctor", options, words);
    if (line.has("evidence")) {
        if (words.size() > 1) throw refusal("--evidence stands alone.");
        std::fputs(evidence().c_str(), stdout);
        return tools::done;
    }
    const auto devices = wanted(line);
    const std::string text =
        line.has("json")
            ? to_json(devices).dump(1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n"
            : tables(devices, isatty(STDOUT_FILENO) == 1 && !std::getenv("NO_COLOR"));
    std::fwrite(text.data(), 1, text.size(), stdout);
    return std::ranges::all_of(devices, [](const device_description& d) { return d.use.possible; }) ? 0 : 1;
}

}  // namespace
}  // namespace fade::doctor

int main(int argc, char** argv) {
    const std::vector<std::string_view> words(argv + 1, argv + argc);
    return fade::tools::run_program([&] { return fade::doctor::run(words); });
}

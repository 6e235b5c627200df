#include "request.hpp"
#include <random>
#include "../common/numbers.hpp"

namespace fade::bench {
namespace {

using tools::command_line;
using tools::quoted;
using tools::refusal;

const element& parse_element(std::string_view option, std::string_view word) {
    if (const element* e = find_element(word)) return *e;
    throw refusal("--" + std::string(option) + " is " + quoted(word) + ", but the element types are " + tools::listed(element_names()) + ".");
}

/// The 8-bit floats of a device have one flavour; asking for the other names the right one.
void refuse_other_fp8(std::string_view device, const element& asked) {
    const bool fnuz = device == "emulated:gfx942", asked_fnuz = asked.name.ends_with("fnuz");
    if (!device.starts_with("emulated:") || !asked.name.starts_with("f8") || fnuz == asked_fnuz) return;
    const std::string name(asked.name), right = fnuz ? name + "fnuz" : name.substr(0, name.size() - 4);
    throw refusal(std::string(device.substr(9)) + " knows no " + name + "; of 8-bit types of that shape it could only know " + right + ".");
}

std::uint64_t fresh_seed() {
    std::random_device from_system;
    return (std::uint64_t(from_system()) << 16) ^ from_system();
}

void parse_types(const command_line& line, request& r) {
    r.device = line.need("device");
    r.in = &parse_element("dtype", line.need("dtype"));
    refuse_other_fp8(r.device, *r.in);
    const auto out = line.get("out-dtype");
    r.out = out ? &parse_element("out-dtype", *out) : &element_of(r.in->output);
}

clock_kind clock_of(const command_line& line) {
    const auto given = line.get("clock");
    if (given && *given != "wall" && *given != "processor") throw refusal("--clock is " + tools::quoted(*given) + ", but must be wall or processor.");
    return given && *given == "processor" ? clock_kind::processor : clock_kind::wall;
}

}  // namespace

std::vector<tools::option> with_common_options(std::string_view types_of_inputs, std::string_view types_of_outputs, std::vector<tools::option> own) {
    std::vector<tools::option> out = {
        {"device", "DEV", "auto, host, emulated:ARCH, hip:N or cuda:N"},
        {"dtype", "TYPE", types_of_inputs},
        {"out-dtype", "TYPE", types_of_outputs},
    };
    out.insert(out.end(), own.begin(), own.end());
    const tools::option last[] = {
        {"check", "", "compares with a reference in double precision, the output poisoned first"},
        {"json", "", "answers with one JSON object on a line"},
        {"vs", "PEER", "measures a peer library too, interleaved; --list names those in this program"},
        {"clock", "wall|processor", "what times count: the time that passes, or what all threads of this program have of the processor, for a CPU that others use too; wall"},
        {"plan", "", "names the kernel and its launch without running anything"},
        {"capture", "DIR", "writes the launches, their buffers and the expected output to DIR"},
        {"seed", "N", "the inputs; without it they are new at each run"},
        {"strict", "", "refuses a kernel slower than what the device offers"},
        {"list", "", "lists what this program holds"},
        {"help", "", "this text"},
    };
    out.insert(out.end(), std::begin(last), std::end(last));
    return out;
}

void parse_common(const command_line& line, request& r) {
    parse_types(line, r);
    r.check = line.has("check"), r.json = line.has("json"), r.plan = line.has("plan"), r.strict = line.has("strict");
    r.peer = word_of(line, "vs"), r.capture = word_of(line, "capture");
    r.clock = clock_of(line);
    const auto seed = line.get("seed");
    r.seed = seed ? tools::seed_number("--seed", *seed) : fresh_seed();
    if (r.plan && (r.check || r.peer || r.capture || line.has("clock")))
        throw refusal("--plan runs nothing, so --check, --vs, --capture and --clock cannot be given beside it.");
}

std::optional<std::string> word_of(const command_line& line, std::string_view option) {
    const auto given = line.get(option);
    return given ? std::optional(std::string(*given)) : std::nullopt;
}

}  // namespace fade::bench

#include "request.hpp"
#include "../common/numbers.hpp"
#include <algorithm>
#include <random>

namespace fade::bench {
namespace {

using tools::command_line;
using tools::quoted;
using tools::refusal;

const element& parse_element(std::string_view option, std::string_view word) {
    if (const element* e = find_element(word)) return *e;
    throw refusal("--" + std::string(option) + " is " + quoted(word) + ", but the element types are " +
                  tools::listed(element_names()) + ".");
}

/// The 8-bit floats of a device have one flavour; asking for the other names the right one.
void refuse_other_fp8(std::string_view device, const element& asked) {
    const bool fnuz = device == "emulated:gfx942", asked_fnuz = asked.name.ends_with("fnuz");
    if (!device.starts_with("emulated:") || !asked.name.starts_with("f8") || fnuz == asked_fnuz) return;
    const std::string name(asked.name), right = fnuz ? name + "fnuz" : name.substr(0, name.size() - 4);
    throw refusal(std::string(device.substr(9)) + " knows no " + name +
                  "; of 8-bit types of that shape it could only know " + right + ".");
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

output_form form_of(const command_line& line) {
    if (line.has("json") && line.has("csv")) throw refusal("--json and --csv exclude each other.");
    if (line.has("csv") && line.has("plan")) throw refusal("--csv lists times, of which --plan has none.");
    return line.has("json") ? output_form::json : line.has("csv") ? output_form::csv : output_form::text;
}

std::optional<int> samples_of(const command_line& line) {
    constexpr int max = 1000000;
    const auto given = line.get("samples");
    if (!given) return std::nullopt;
    int count = 0;
    if (tools::is_number(*given, count) && count >= 1 && count <= max) return count;
    throw refusal("--samples is " + quoted(*given) + ", but must be a whole number from 1 to 1000000.");
}

/// "256,512" as its parts; an empty part is one, too, and is refused as a number later.
std::vector<std::string_view> parts_of(std::string_view words) {
    std::vector<std::string_view> out;
    for (std::size_t from = 0; from <= words.size();) {
        const std::size_t to = std::min(words.find(',', from), words.size());
        out.push_back(words.substr(from, to - from));
        from = to + 1;
    }
    return out;
}

/// The name of an option in an answer.
std::string echoed_name(std::string_view option) {
    std::string out(option);
    std::ranges::replace(out, '-', '_');
    return out;
}

clock_kind clock_of(const command_line& line) {
    const auto given = line.get("clock");
    if (given && *given != "wall" && *given != "processor")
        throw refusal("--clock is " + tools::quoted(*given) + ", but must be wall or processor.");
    return given && *given == "processor" ? clock_kind::processor : clock_kind::wall;
}

}  // namespace

std::vector<tools::option> with_common_options(std::string_view types_of_inputs,
                                               std::string_view types_of_outputs,
                                               std::vector<tools::option> own) {
    std::vector<tools::option> out = {
        {"device", "DEV", "auto, host, emulated:ARCH, hip:N or cuda:N"},
        {"dtype", "TYPE", types_of_inputs},
        {"out-dtype", "TYPE", types_of_outputs},
    };
    out.insert(out.end(), own.begin(), own.end());
    const tools::option last[] = {
        {"check", "", "compares with a reference in double precision, the output poisoned first"},
        {"spoil", "BUFFER=X",
         "makes the result wrong before the check: one element of a buffer by X times its norm, or nan; or "
         "outside, or fault"},
        {"json", "", "answers with one JSON object on a line"},
        {"csv", "", "answers with lines of comma-separated values, the first of which names them"},
        {"vs", "PEER", "measures a peer library too, interleaved; --list names those in this program"},
        {"clock", "wall|processor",
         "what times count: the time that passes, or what all threads of this program have of the processor, "
         "for a CPU that others use too; wall"},
        {"samples", "N", "how many times are taken; without it, as many as some tenths of a second hold"},
        {"warm-cache", "",
         "measures with the same inputs again and again; without it inputs rotate over twice the last cache "
         "of the "
         "host or GPU"},
        {"plan", "", "names the kernel and its launch without running anything"},
        {"capture", "DIR", "writes the launches, their buffers and the expected output to DIR"},
        {"seed", "N", "the inputs; without it they are new at each run"},
        {"strict", "", "refuses a kernel slower than what the device offers"},
        {"list", "", "lists what this program holds"},
        {"help", "", "this text, as -h"},
        {"version", "", "the version of FADE"},
    };
    out.insert(out.end(), std::begin(last), std::end(last));
    return out;
}

void parse_common(const command_line& line, request& r, const std::vector<std::string_view>& written) {
    parse_types(line, r);
    r.form = form_of(line), r.samples = samples_of(line);
    r.check = line.has("check"), r.plan = line.has("plan"), r.strict = line.has("strict"),
    r.warm_cache = line.has("warm-cache");
    r.peer = word_of(line, "vs"), r.capture = word_of(line, "capture");
    r.clock = clock_of(line);
    if (const auto how = line.get("spoil")) r.spoilt = parse_spoil(*how, written);
    if (r.spoilt && !r.check) throw refusal("--spoil tries the check, so --check must stand beside it.");
    const auto seed = line.get("seed");
    r.seed = seed ? tools::seed_number("--seed", *seed) : fresh_seed();
    if (r.plan && (r.check || r.peer || r.capture || r.samples || r.warm_cache || line.has("clock")))
        throw refusal(
            "--plan runs nothing, so --check, --vs, --capture, --samples, --warm-cache and --clock cannot be "
            "given beside it.");
}

std::vector<chosen_line> each_choice(const command_line& line, const std::vector<std::string_view>& sizes) {
    constexpr std::size_t max = 10000;
    std::vector<chosen_line> out = {{line, {}}};
    for (std::string_view option : sizes) {
        const auto words = line.get(option);
        const auto parts = words ? parts_of(*words) : std::vector<std::string_view>{};
        if (parts.size() < 2) continue;
        if (out.size() * parts.size() > max)
            throw refusal("The sizes that are listed make more than 10000 problems.");
        std::vector<chosen_line> wider;
        for (const chosen_line& one : out)
            for (std::string_view part : parts) {
                wider.push_back({one.line.with(option, part), one.listed});
                wider.back().listed.push_back(echoed_name(option));
            }
        out = std::move(wider);
    }
    return out;
}

std::optional<std::string> word_of(const command_line& line, std::string_view option) {
    const auto given = line.get(option);
    return given ? std::optional(std::string(*given)) : std::nullopt;
}

}  // namespace fade::bench

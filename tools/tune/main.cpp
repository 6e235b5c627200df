// fade-tune: looks into databases of tuned policies, and carries rows from one to another.
#include "common/command_line.hpp"
#include "common/output.hpp"
#include "common/refusal.hpp"
#include "tune/call_words.hpp"
#include "tune/compile.hpp"
#include "tune/json_lines.hpp"
#include "tune/list.hpp"
#include "tune/model.hpp"
#include "tune/report.hpp"
#include "tune/run.hpp"
#include "tune/verify.hpp"
#include <algorithm>
#include <cstdlib>
#include <fade/tune/database/database.hpp>
#include <fstream>
#include <iostream>
#include <thread>
#include <vector>

namespace {
using namespace fade::tools;
using words_of = std::span<const std::string_view>;

constexpr option own_options[] = {
    {"db", "FILE", "the tuning database"},
    {"list", "FILE", "run: calls, a line of JSON each"},
    {"budget", "SECONDS", "run: how long it may take"},
    {"mode", "MODE", "run: NORMAL, FAST, HYBRID, ... (default: FADE_FIND_MODE, or DYNAMIC_HYBRID)"},
    {"enforce", "WHAT", "run: NONE, DB_UPDATE, SEARCH, ... (default: FADE_FIND_ENFORCE, or NONE)"},
    {"model", "ARCH", "run: rank by the static model of an AMD architecture; nothing is timed"},
    {"compute-units", "N", "run --model, --compile: of the device"},
    {"device", "DEVICE",
     "run, verify: host, cuda:NUMBER or hip:NUMBER; of --compile cuda:NUMBER, emulated:ARCH, hip:NUMBER or "
     "hip"},
    {"dtype", "TYPE", "f32 of the host; of GPUs, --model and --compile f16, bf16 or f32 (default: f16)"},
    {"compile", "", "run: calls by policies that a compiler makes while the budget lasts; verify: such rows"},
    {"arch", "ARCH", "run --compile: of a GPU, as compilers call it"},
    {"compiler", "FILE",
     "run --compile: an absolute path, or a name that PATH has (default: $CXX; of cuda:NUMBER NVRTC)"},
    {"compiler-flags", "WORDS", "run --compile: for the compiler, between blanks"},
    {"include", "FOLDER", "run --compile: FADE's headers"},
    {"cache", "FOLDER", "run --compile: of modules (default: fade/modules in XDG_CACHE_HOME or ~/.cache)"},
    {"jobs", "N", "run --compile: compilers that run side by side (default: as many as cores)"},
    {"candidates", "FILE", "run --compile: policies beside the model's, a line of JSON each"},
    {"model-candidates", "N", "run --compile: policies of the model's, at most (default: 24)"},
    {"json", "", "run: lines of JSON"},
    {"threads", "N", "run, verify: threads of the CPU (default: all)"},
    {"drift", "PERCENT", "verify: how far a time may lie from the row's (default: 25)"},
    {"prune", "", "verify: remove rows that do not beat the model's choice"},
    {"from", "FILE", "import, report: lines of JSON (default: standard input)"},
};

std::vector<option> all_options() {
    std::vector<option> out(std::begin(own_options), std::end(own_options));
    for (const option& o : call_options()) out.push_back(o);
    return out;
}

constexpr const char* usage =
    "usage: fade-tune run|verify|show|export|import|prune --db FILE\n"
    "       fade-tune run --compile --device cuda:NUMBER|emulated:ARCH|hip:NUMBER\n"
    "       fade-tune report --from LINES > FILE.svg\n\n"
    "  run     times calls of a list, or one, on this CPU or a GPU, and keeps what beats the model's choice "
    "twice\n"
    "  verify  times rows again; exit code 1 where one lost to the model's choice or drifted\n"
    "  report  draws the lines that run printed: the time of each policy, and what the choice gained (SVG)\n"
    "  show    the rows, for people; stale ones are marked\n"
    "  export  the rows as lines of JSON\n"
    "  import  adds rows from lines of JSON: all of them, or none where a line is wrong\n"
    "  prune   removes rows of other sources, compilers or versions than this program's\n\n";

bool is_ours(const fade::tune::tuning_row& row) { return row.build == fade::tune::this_build(); }

/// A file that is there. Only import makes one.
fade::tune::database_layer there(const command_line& line) {
    return fade::tune::database_layer::readable(std::string(line.need("db")));
}

int show(const command_line& line) {
    there(line).each_row([](const auto& r) {
        std::string out = r.problem.kind + ",";
        for (const fade::index size : r.problem.sizes) out += " " + std::to_string(size);
        char time[64];
        std::snprintf(time, sizeof time, "%.4g us, noise %.2g %%", r.nanoseconds / 1e3, 100 * r.noise);
        write_output(out + "; " + r.machine.arch + ", " + r.machine.traits + ": " + time + ", " + r.evidence +
                     (is_ours(r) ? "" : " (stale: of another build)") + "\n");
    });
    return done;
}

int export_rows(const command_line& line) {
    there(line).each_row([](const auto& r) { write_output(line_of(r) + "\n"); });
    return done;
}

/// The lines of --from, or of standard input.
std::istream& lines_of(const command_line& line, std::ifstream& file) {
    if (!line.has("from")) return std::cin;
    file.open(std::string(*line.get("from")));
    if (!file) throw refusal(quoted(*line.get("from")) + " cannot be read.");
    return file;
}

int import_rows(const command_line& line) {
    std::ifstream file;
    std::istream& in = lines_of(line, file);
    std::vector<fade::tune::tuning_row> rows;
    int number = 0;
    for (std::string text; std::getline(in, text);) rows.push_back(row_of(text, ++number));
    fade::tune::database_layer::writable(std::string(line.need("db"))).put_all(rows);
    write_output(std::to_string(rows.size()) + " rows imported\n");
    return done;
}

int report(const command_line& line) {
    std::ifstream file;
    write_output(drawn_report(lines_of(line, file)));
    return done;
}

int prune(const command_line& line) {
    there(line);
    const auto removed =
        fade::tune::database_layer::writable(std::string(line.need("db"))).prune(fade::tune::this_build());
    write_output(std::to_string(removed) + " rows removed\n");
    return done;
}

/// The options of each command, beside --db.
void check_options(std::string_view command, const command_line& line) {
    struct owned {
        std::string_view name, command, other = "";
    };
    if (command == "report" && line.has("db")) throw refusal("fade-tune report reads no --db.");
    for (const owned& o : {owned{"list", "run"},
                           owned{"budget", "run"},
                           owned{"mode", "run"},
                           owned{"model", "run"},
                           owned{"compute-units", "run"},
                           owned{"device", "run", "verify"},
                           owned{"dtype", "run", "verify"},
                           owned{"json", "run"},
                           owned{"enforce", "run"},
                           owned{"compile", "run", "verify"},
                           owned{"arch", "run"},
                           owned{"compiler", "run", "verify"},
                           owned{"compiler-flags", "run", "verify"},
                           owned{"include", "run", "verify"},
                           owned{"cache", "run", "verify"},
                           owned{"jobs", "run", "verify"},
                           owned{"candidates", "run"},
                           owned{"model-candidates", "run"},
                           owned{"threads", "run", "verify"},
                           owned{"drift", "verify"},
                           owned{"prune", "verify"},
                           owned{"from", "import", "report"}})
        if (line.has(o.name) && command != o.command && command != o.other)
            throw refusal("--" + std::string(o.name) + " is an option of " + std::string(o.command) +
                          (o.other.empty() ? "" : " and " + std::string(o.other)) + ".");
    if (const std::string word = first_call_word(line); command != "run" && !word.empty())
        throw refusal("--" + word + " is an option of run.");
}

/// A number of the line, above 0 and up to a limit.
double number(const command_line& line, std::string_view name, double max) {
    const std::string word(line.need(name));
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (word.empty() || *end || !(value > 0) || value > max)
        throw refusal("--" + std::string(name) + " is " + fade::tools::quoted(word) +
                      ", but it must be a number above 0 and at most " + std::to_string(std::int64_t(max)) +
                      ".");
    return value;
}

int threads_of(const command_line& line) {
    if (line.has("threads")) return std::max(1, int(number(line, "threads", 1024)));
    return int(std::max(1u, std::thread::hardware_concurrency()));
}

std::vector<std::string> words_between_blanks(std::string_view text) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        if (end > at) out.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

/// At most so many policies of the model's.
int model_candidates(const command_line& line, int otherwise) {
    if (!line.has("model-candidates")) return otherwise;
    if (*line.get("model-candidates") == "0") return 0;
    return std::max(1, int(number(line, "model-candidates", 1000)));
}

/// Compilers at once; 0: as many as cores.
int jobs_of(const command_line& line) {
    return line.has("jobs") ? std::max(1, int(number(line, "jobs", 1024))) : 0;
}

/// Does a run compile for a GPU that has kernels in this program?
bool compiles_for_cuda(const command_line& line) {
    return line.has("compile") && line.get("device").value_or("").starts_with("cuda:");
}

std::optional<kernels_on_demand> kernels_of(const command_line& line) {
    if (!line.has("compile")) return std::nullopt;
    if (!compiles_for_cuda(line))
        throw refusal("--compile of this command is for cuda:NUMBER, and --device is " +
                      quoted(line.get("device").value_or("host")) + ".");
    for (const std::string_view name : {"arch", "compute-units"})
        if (line.has(name))
            throw refusal("--" + std::string(name) + " is what a GPU that is there says itself.");
    const auto word = [&](std::string_view name) { return std::string(line.get(name).value_or("")); };
    kernels_on_demand out{.options = {.compiler = word("compiler"),
                                      .flags = words_between_blanks(word("compiler-flags")),
                                      .include = line.has("include") ? word("include") : FADE_INCLUDE_FOLDER,
                                      .folder = word("cache"),
                                      .jobs = jobs_of(line)},
                          .candidates = policies_of(word("candidates"))};
    out.max = std::size_t(model_candidates(line, int(out.max)));
    return out;
}

std::unique_ptr<timed_device> device_of(const command_line& line) {
    const std::string_view device = line.get("device").value_or("host");
    auto out = timed_device_of(device, line.get("dtype").value_or(""), threads_of(line), kernels_of(line));
    if (device != "host" && line.has("threads"))
        throw refusal("--threads are the CPU's, and --device is " + quoted(device) + ".");
    return out;
}

/// What says how to compile says nothing without --compile.
void check_words_of_compile(const command_line& line) {
    if (line.has("compile")) return;
    for (const std::string_view name :
         {"arch", "compiler", "compiler-flags", "include", "cache", "jobs", "candidates", "model-candidates"})
        if (line.has(name)) throw refusal("--" + std::string(name) + " is an option of --compile.");
}

int verify(const command_line& line) {
    check_words_of_compile(line);
    verify_options options{.device = device_of(line), .prune = line.has("prune")};
    if (line.has("drift")) options.bound = number(line, "drift", 1e6) / 100;
    return verify_rows(std::string(line.need("db")), options) ? done : check_failed;
}

/// The calls of --list, or the one that the options say.
std::vector<listed_call> calls_of(const command_line& line) {
    const std::string word = first_call_word(line);
    if (word.empty()) return read_list(std::string(line.need("list")));
    if (line.has("list")) throw refusal("--" + word + " says one call and --list many: give one of the two.");
    return {call_of(line)};
}

int model_calls(const command_line& line) {
    for (const std::string_view name : {"db", "budget", "threads", "mode", "enforce", "device"})
        if (line.has(name))
            throw refusal("--model times nothing, so it takes no --" + std::string(name) + ".");
    const double units = number(line, "compute-units", 1 << 20);
    model_options options{.arch = std::string(*line.get("model")),
                          .compute_units = int(std::max(1.0, units))};
    if (line.has("dtype")) options.dtype = std::string(*line.get("dtype"));
    options.json = line.has("json");
    model_list(calls_of(line), options);
    return done;
}

int compile_calls(const command_line& line) {
    for (const std::string_view name : {"mode", "enforce", "model"})
        if (line.has(name)) throw refusal("--" + std::string(name) + " is no option of --compile.");
    const auto word = [&](std::string_view name) { return std::string(line.get(name).value_or("")); };
    compile_options options{.device = std::string(line.need("device")),
                            .arch = word("arch"),
                            .database = word("db"),
                            .candidates = word("candidates"),
                            .modules = {.compiler = word("compiler"),
                                        .flags = words_between_blanks(word("compiler-flags")),
                                        .include = word("include"),
                                        .folder = word("cache"),
                                        .jobs = jobs_of(line)},
                            .threads = threads_of(line),
                            .json = line.has("json")};
    if (line.has("dtype")) options.dtype = word("dtype");
    if (!line.has("include")) options.modules.include = FADE_INCLUDE_FOLDER;
    if (line.has("compute-units"))
        options.compute_units = std::max(1, int(number(line, "compute-units", 4096)));
    options.model_candidates = model_candidates(line, options.model_candidates);
    options.budget = std::chrono::duration<double>(number(line, "budget", 1e6));
    compile_list(calls_of(line), options);
    return done;
}

int run_calls(const command_line& line) {
    if (line.has("compile") && !compiles_for_cuda(line)) return compile_calls(line);
    check_words_of_compile(line);
    if (line.has("model")) return model_calls(line);
    if (line.has("compute-units") && !line.has("compile"))
        throw refusal("--compute-units is an option of --model and --compile.");
    const auto list = calls_of(line);
    run_options options{
        .database = std::string(line.need("db")), .device = device_of(line), .json = line.has("json")};
    options.find = fade::find_options_of_environment();
    options.find.budget = std::chrono::duration<double>(number(line, "budget", 1e6));
    if (line.has("mode")) options.find.mode = fade::find_mode_of(std::string(*line.get("mode")));
    if (line.has("enforce")) options.find.enforce = fade::find_enforce_of(std::string(*line.get("enforce")));
    run_list(list, options);
    return done;
}

int run(words_of words) {
    if (asks_for_version(words)) return print_version("fade-tune");
    if (words.empty() || asks_for_help(words)) {
        write_output(usage + help_lines(all_options()));
        return words.empty() ? refused : done;
    }
    const command_line line("fade-tune", all_options(), words.subspan(1));
    check_options(words[0], line);
    if (words[0] == "run") return run_calls(line);
    if (words[0] == "verify") return verify(line);
    if (words[0] == "show") return show(line);
    if (words[0] == "export") return export_rows(line);
    if (words[0] == "import") return import_rows(line);
    if (words[0] == "prune") return prune(line);
    if (words[0] == "report") return report(line);
    throw refusal(
        quoted(words[0]) +
        " is no command of fade-tune: there are run, verify, report, show, export, import and prune.");
}
}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string_view> words(argv + 1, argv + argc);
    return run_program([&] { return run(words); });
}

#include "operation.hpp"
#include "../common/progress.hpp"
#include "load.hpp"
#include "print.hpp"
#include "units.hpp"
#include <cstdio>
#include <nlohmann/json.hpp>

namespace fade::bench {
namespace {

/// What disturbs a figure, in sentences. Times of emulation are no figures of a device.
std::vector<std::string> doubts(const answer& a, const load_watch& load) {
    std::vector<std::string> out;
    if (!a.device.measures()) return out;
    const auto others = load.others();
    const bool counts = a.device.kind == "host" && a.asked->clock == clock_kind::wall;
    if (counts && others && *others > disturbing)
        out.push_back("others took " + tools::figures(100 * *others) +
                      " % of the processors while this was measured.");
    if (a.time->wide())
        out.push_back("the middle half of " + std::to_string(a.time->samples) + " samples spreads over " +
                      tools::figures(100 * a.time->spread) + " % of the median.");
    return out;
}

void warn(const answer& a, const load_watch& load) {
    for (const std::string& d : doubts(a, load)) std::fprintf(stderr, "fade-bench: warning: %s\n", d.c_str());
}

int code_of(const answer& a) { return a.check && !a.check->ok() ? tools::check_failed : tools::done; }

/// Plans are made before any is printed: one that is refused leaves nothing on stdout.
int plan_all(const problem_runs& problems) {
    std::vector<answer> all;
    for (const auto& p : problems) all.push_back(p->planned());
    printer out(problems[0]->asked(), 1);
    for (std::size_t i = 0; i < all.size(); ++i) out.print(all[i], problems[i]->echo());
    return tools::done;
}

int run_all(const problem_runs& problems) {
    for (const auto& p : problems) p->check_possible();
    printer out(problems[0]->asked(), problems.size());
    tools::progress_bar bar(double(problems.size()));
    int code = tools::done;
    for (std::size_t i = 0; i < problems.size(); ++i) {
        const load_watch load;
        const answer a = problems[i]->run([&](const char* what, double part) {
            bar.at(double(i) + part, (problems.size() > 1 ? std::to_string(i + 1) + " of " +
                                                                std::to_string(problems.size()) + ", "
                                                          : "") +
                                         what);
        });
        bar.aside([&] {
            out.print(a, problems[i]->echo());
            warn(a, load);
        });
        code = std::max(code, code_of(a));
    }
    return code;
}

}  // namespace

int answer_all(const problem_runs& problems) {
    const request& r = problems[0]->asked();
    if (r.capture && problems.size() > 1)
        throw tools::refusal("--capture writes one problem, so no option beside it may list several sizes.");
    return r.plan ? plan_all(problems) : run_all(problems);
}

int sets_of_memory(const request& asked, const device_choice& device, std::uint64_t bytes) {
    constexpr std::uint64_t max = 1 << 20;
    if (asked.warm_cache || !device.measures() || bytes == 0) return 1;
    const std::uint64_t wanted = 2 * last_cache_of(device.kind, device.number);
    return int(std::clamp<std::uint64_t>((wanted + bytes - 1) / bytes, 1, max));
}

void check_memory_of(const request& asked, const device_choice& device, const std::vector<matrix>& all,
                     std::uint64_t workspace_bytes) {
    using tools::big_size;
    big_size bytes{};
    for (const matrix& m : all) bytes = bytes + m.span() * big_size{std::uint64_t(m.type->bytes)};
    const auto more = std::uint64_t(sets_of_memory(asked, device, bytes.value) - 1);
    check_memory(all, (big_size{workspace_bytes} + bytes * big_size{device.kind == "host" ? more : 0}).value);
}

}  // namespace fade::bench

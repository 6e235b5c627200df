#include "print.hpp"
#include <nlohmann/json.hpp>
#include <sstream>

namespace fade::bench {
namespace {

using tools::at_left;
using tools::at_right;
using tools::figures;
using tools::in_bandwidth;
using tools::in_rate;
using tools::in_time;

constexpr std::size_t label_width = 10, number_width = 8, time_width = 8, rate_width = 12;

std::string line(const std::string& label, const std::string& text) {
    return "  " + at_left(label, label_width) + text + "\n";
}

std::string check_text(const check_result& c) {
    std::ostringstream out;
    out << (c.ok() ? "ok" : "FAILED") << ": relative error " << figures(c.rel_err) << ", bound "
        << figures(c.bound);
    if (c.rows_checked < c.rows) out << ", " << c.rows_checked << " of " << c.rows << " rows compared";
    if (c.wrong_kind)
        out << ", " << c.wrong_kind
            << " values NaN or infinite where the reference is not, or the other way round";
    if (c.outside) out << ", " << c.outside << " bytes written outside of the output";
    for (const side_check& s : c.beside)
        out << "; " << s.name << " " << (s.ok() ? "ok" : "FAILED") << ": " << figures(s.rel_err) << ", bound "
            << figures(s.bound);
    return out.str();
}

std::string fault_lines(const check_result& c) {
    if (c.faults.empty()) return "";
    return line("", std::to_string(c.faults.size()) +
                        " or more faults of the emulated kernel, the first: " + c.faults[0]);
}

std::string launch_text(const launch& l) {
    std::ostringstream out;
    out << (l.exact ? "" : "...") << l.symbol << (l.exact ? "" : "...");
    out << " grid " << l.grid[0] << 'x' << l.grid[1] << 'x' << l.grid[2] << " block " << l.block[0] << 'x'
        << l.block[1] << 'x' << l.block[2];
    out << " dynamic LDS " << l.dynamic_lds;
    if (l.cluster > 1) out << " clusters of " << l.cluster;
    return out.str();
}

/// "block_tile 128x128x32, pipeline double_buffer, waves 4"
std::string policy_text(const std::vector<policy_field>& fields) {
    std::string out;
    for (const policy_field& f : fields) {
        out += (out.empty() ? "" : ", ") + f.name + " " + f.word;
        for (std::size_t i = 0; i < f.numbers.size(); ++i)
            out += (i ? "x" : "") + std::to_string(f.numbers[i]);
    }
    return out;
}

std::string samples_text(const timed& t) {
    if (t.samples == 1) return in_time(t.median) + " (one sample)";
    return in_time(t.median) + " (median of " + std::to_string(t.samples) + ", " + in_time(t.min) + " to " +
           in_time(t.max) + ")";
}

std::string rate_of(const answer& a) { return a.bytes > 0 ? in_bandwidth(a.gbps()) : in_rate(a.tflops()); }

std::string time_lines(const answer& a) {
    std::string out =
        line("time", samples_text(*a.time) + ", " + rate_of(a) +
                         (a.asked->clock == clock_kind::processor ? ", the processor's clock" : ""));
    if (a.check) out += line("check", check_text(*a.check)) + fault_lines(*a.check);
    if (a.peer)
        out += line(a.asked->peer.value(), samples_text(a.peer->time) + ": FADE is " +
                                               figures(a.peer->ratio) + " times as fast; results differ by " +
                                               figures(a.peer->difference)) +
               (a.peer->name == *a.asked->peer ? "" : line("", a.peer->name));
    return out + line("seed", std::to_string(a.asked->seed));
}

std::string verdict(const answer& a) { return !a.check ? "-" : a.check->ok() ? "ok" : "FAILED"; }

std::string cells(std::initializer_list<std::string> times) {
    std::string out;
    for (const std::string& t : times) out += "  " + at_right(t, time_width);
    return out;
}

}  // namespace

std::string as_text(const answer& a) {
    const fade::report& r = a.choice.report;
    std::string out = r.requested + " on " + a.device.name + " (" + r.arch + ")\n" +
                      line("kernel", r.chosen) + line("policy", policy_text(a.choice.policy)) +
                      line("because", r.why);
    if (!a.time)
        for (const launch& l : a.choice.launches) out += line("launch", launch_text(l));
    else
        out += time_lines(a);
    return out;
}

std::string table_head(const answer& a, const nlohmann::ordered_json&) {
    std::string out = std::string(a.op) + ", " + std::string(a.asked->in->name) + " to " +
                      std::string(a.asked->out->name) + " on " + a.device.name + " (" + a.choice.report.arch +
                      "), seed " + std::to_string(a.asked->seed) + "\n";
    for (const std::string& name : a.asked->listed) out += "  " + at_right(name, number_width);
    out +=
        cells({"median", "least", "most"}) + "  " + at_right("rate", rate_width) + "  " + at_left("check", 6);
    if (a.peer) out += cells({*a.asked->peer, "ratio"});
    return out + "  kernel\n";
}

std::string as_row(const answer& a, const nlohmann::ordered_json& problem) {
    std::string out;
    for (const std::string& name : a.asked->listed)
        out += "  " + at_right(problem.at(name).dump(), number_width);
    out += cells({in_time(a.time->median), in_time(a.time->min), in_time(a.time->max)}) + "  " +
           at_right(rate_of(a), rate_width) + "  " + at_left(verdict(a), 6);
    if (a.peer) out += cells({in_time(a.peer->time.median), figures(a.peer->ratio)});
    return out + "  " + a.choice.report.chosen + "\n";
}

}  // namespace fade::bench

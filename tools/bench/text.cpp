#include <sstream>
#include "answer.hpp"

namespace fade::bench {
namespace {

std::string check_line(const check_result& c) {
    std::ostringstream out;
    out << "  check    " << (c.ok() ? "ok" : "FAILED") << ": relative error " << c.rel_err << ", bound " << c.bound;
    if (c.rows_checked < c.rows) out << ", " << c.rows_checked << " of " << c.rows << " rows compared";
    if (c.wrong_kind) out << ", " << c.wrong_kind << " values NaN or infinite where the reference is not, or the other way round";
    if (c.outside) out << ", " << c.outside << " bytes written outside of the output";
    for (const side_check& s : c.beside) out << "; " << s.name << " " << (s.ok() ? "ok" : "FAILED") << ": " << s.rel_err << ", bound " << s.bound;
    if (!c.faults.empty()) out << "\n           " << c.faults.size() << " or more faults of the emulated kernel, the first: " << c.faults[0];
    return out.str() + "\n";
}

std::string launch_line(const launch& l) {
    std::ostringstream out;
    out << "  launch   " << (l.exact ? "" : "...") << l.symbol << (l.exact ? "" : "...");
    out << " grid " << l.grid[0] << 'x' << l.grid[1] << 'x' << l.grid[2] << " block " << l.block[0] << 'x' << l.block[1] << 'x' << l.block[2];
    out << " dynamic LDS " << l.dynamic_lds << "\n";
    return out.str();
}

}  // namespace

std::string as_text(const answer& a) {
    std::ostringstream out;
    out << a.choice.report.requested << " on " << a.device.name << " (" << a.choice.report.arch << ")\n";
    out << "  kernel   " << a.choice.report.chosen << "\n  because  " << a.choice.report.why << "\n";
    if (!a.ms)
        for (const launch& l : a.choice.launches) out << launch_line(l);
    else out << "  time     " << *a.ms << " ms, " << a.tflops() << " TFLOP/s (median)\n";
    if (a.check) out << check_line(*a.check);
    if (a.peer) out << "  " << a.peer->name << " " << a.peer->ms << " ms: FADE is " << a.peer->ratio << " times as fast, results differ by " << a.peer->difference << "\n";
    if (a.ms) out << "  seed     " << a.asked->seed << "\n";
    return out.str();
}

}  // namespace fade::bench

#include "print.hpp"
#include <nlohmann/json.hpp>

namespace fade::bench {
namespace {

using json = nlohmann::ordered_json;

/// The parts of a list, separated by blanks.
std::string words_of(const json& list) {
    std::string out;
    for (const json& one : list) out += (out.empty() ? "" : " ") + one.dump();
    return out;
}

/// A value in a line: what holds a comma or a quote stands in quotes.
std::string cell(const json& value) {
    const std::string text = value.is_array()    ? words_of(value)
                             : value.is_string() ? value.get<std::string>()
                                                 : value.dump();
    if (text.find_first_of(",\"\n") == text.npos) return text;
    std::string out;
    for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return '"' + out + '"';
}

json peer_of(const answer& a) {
    if (!a.peer) return {{"vs", ""}, {"vs_ms", ""}, {"ratio", ""}};
    return {{"vs", a.peer->name}, {"vs_ms", a.peer->time.median}, {"ratio", a.peer->ratio}};
}

json check_of(const answer& a) {
    if (!a.check) return {{"ok", ""}, {"rel_err", ""}, {"bound", ""}};
    return {{"ok", a.check->ok()}, {"rel_err", a.check->rel_err}, {"bound", a.check->bound}};
}

/// What stands before the options of the operation, and what behind.
json before(const answer& a) {
    return {{"op", a.op},
            {"device", a.device.name},
            {"arch", a.choice.report.arch},
            {"dtype", a.asked->in->name},
            {"out_dtype", a.asked->out->name}};
}

json behind(const answer& a) {
    json out{{"kernel", a.choice.kernel}, {"ms", a.time->median},       {"ms_min", a.time->min},
             {"ms_max", a.time->max},     {"samples", a.time->samples}, {"tflops", a.tflops()},
             {"seed", a.asked->seed}};
    if (a.bytes > 0) out["gbps"] = a.gbps();
    out.update(check_of(a));
    out.update(peer_of(a));
    out["chosen"] = a.choice.report.chosen;
    return out;
}

/// A column has one name: an operator among the operations of the program is not a second "op".
json named_once(const json& problem) {
    json out = json::object();
    for (const auto& [name, value] : problem.items()) out[name == "op" ? "operator" : name] = value;
    return out;
}

template <class Cell>
void add(std::string& out, const json& values, const Cell& of) {
    for (const auto& [name, value] : values.items()) out += (out.empty() ? "" : ",") + of(name, value);
}

template <class Cell>
std::string line(const answer& a, const json& problem, const Cell& of) {
    std::string out;
    add(out, before(a), of), add(out, named_once(problem), of), add(out, behind(a), of);
    return out + "\n";
}

}  // namespace

std::string csv_names(const answer& a, const json& problem) {
    return line(a, problem, [](const std::string& name, const json&) { return name; });
}

std::string as_csv(const answer& a, const json& problem) {
    return line(a, problem, [](const std::string&, const json& value) { return cell(value); });
}

}  // namespace fade::bench

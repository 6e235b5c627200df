#include "tune/report.hpp"
#include "common/refusal.hpp"
#include <algorithm>
#include <cmath>
#include <istream>
#include <nlohmann/json.hpp>
#include <vector>

namespace fade::tools {

namespace {
using json = nlohmann::json;

/// What one search timed, in nanoseconds.
struct searched_call {
    std::string label;
    double model = 0, best = 0;  ///< of the second runs, where a policy was kept
    bool kept = false;
    std::vector<double> times;  ///< the model's choice first
};

double time_of(const json& value) {
    const double t = value.get<double>();
    if (!(t > 0) || !std::isfinite(t)) throw refusal("a time is not above 0");
    return t;
}

std::string label_of(const json& line) {
    constexpr std::size_t max = 52;
    std::string out = line.value("name", "");
    if (out.empty()) out = line.at("kind").get<std::string>();
    if (out.size() > max) out = out.substr(0, max) + "...";
    for (const json& size : line.at("sizes")) out += " " + std::to_string(size.get<std::int64_t>());
    return out;
}

/// Nothing for a line without times.
bool read_call(const std::string& text, searched_call& to) {
    const json line = json::parse(text);
    for (const json& t : line.at("times")) to.times.push_back(time_of(t.at("nanoseconds")));
    if (to.times.empty()) return false;
    to.label = label_of(line), to.kept = line.at("kept").get<bool>();
    to.model = time_of(line.at("model_nanoseconds"));
    to.best = to.kept ? time_of(line.at("nanoseconds")) : to.model;
    to.kept &= to.best < to.model;  // else the model's choice was
    return true;
}

std::vector<searched_call> read_calls(std::istream& lines) {
    std::vector<searched_call> out;
    int number = 0;
    for (std::string text; std::getline(lines, text);) {
        ++number;
        try {
            searched_call call;
            if (read_call(text, call)) out.push_back(std::move(call));
        } catch (const std::exception& e) {
            std::string why = e.what();  // which may quote half a character
            std::ranges::replace_if(why, [](unsigned char c) { return c >= 127; }, '?');
            throw refusal("Line " + std::to_string(number) + " is none of fade-tune run: " + why + ".");
        }
    }
    if (out.empty()) throw refusal("No line is of a search: nothing was timed.");
    return out;
}

/// Text and shapes, as they come.
class drawing {
public:
    void text(double x, double y, const std::string& what, const char* more = "") {
        body_ += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" " + more + ">" + escaped(what) +
                 "</text>\n";
    }
    void line(double x, double from, double to, const char* colour) {
        body_ += "<path d=\"M" + number(x) + " " + number(from) + "V" + number(to) + "\" stroke=\"" + colour +
                 "\"/>\n";
    }
    void dot(double x, double y, double radius, const char* colour) {
        body_ += "<circle cx=\"" + number(x) + "\" cy=\"" + number(y) + "\" r=\"" + number(radius) +
                 "\" fill=\"" + colour + "\"/>\n";
    }
    std::string whole(double width, double height) const {
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width) + "\" height=\"" +
               number(height) + "\" font-family=\"sans-serif\" font-size=\"12\">\n" +
               "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" + body_ + "</svg>\n";
    }

private:
    static std::string number(double x) {
        char out[32];
        std::snprintf(out, sizeof out, "%.1f", x);
        return out;
    }
    static std::string escaped(const std::string& what) {
        std::string out;
        for (const char c : what)
            out += c == '<'   ? "&lt;"
                   : c == '>' ? "&gt;"
                   : c == '&' ? "&amp;"
                              : std::string(1, static_cast<unsigned char>(c) < ' ' ? '?' : c);
        return out;
    }
    std::string body_;
};

constexpr double left = 400, right = 820, width = 900, row = 20, top = 70;
constexpr const char *grey = "#bbbbbb", *blue = "#1f77b4", *red = "#d62728";

/// From half the model's time to eight times as long, a power of 2 after the other.
double place_of(double ratio) {
    const double power = std::clamp(std::log2(ratio), -1.0, 3.0);
    return left + (power + 1) / 4 * (right - left);
}

std::string times(double factor) {
    char out[32];
    std::snprintf(out, sizeof out, "%.2fx", factor);
    return out;
}

void draw(drawing& to, const searched_call& c, double y) {
    constexpr const char* at_end = "text-anchor=\"end\"";
    to.text(left - 12, y + 4, c.label, at_end);
    for (const double t : c.times) to.dot(place_of(t / c.times.front()), y, 3, grey);
    to.dot(place_of(1), y, 4, blue);
    if (c.kept) to.dot(place_of(c.best / c.model), y, 4, red);
    to.text(width - 8, y + 4, c.kept ? times(c.model / c.best) : "-", at_end);
}
}  // namespace

std::string drawn_report(std::istream& lines) {
    const std::vector<searched_call> calls = read_calls(lines);
    double gain = 0;
    std::size_t kept = 0;
    for (const searched_call& c : calls) gain += std::log(c.model / c.best), kept += c.kept;
    const double bottom = top + row * double(calls.size());
    drawing out;
    out.text(12, 24,
             std::to_string(calls.size()) + " searches, " + std::to_string(kept) +
                 " policies kept; geometric mean of what they gained, 1 for the others: " +
                 times(std::exp(gain / double(calls.size()))));
    out.text(12, 42,
             "time of a policy over that of the model's choice (blue); kept: red, as timed a second time");
    for (const double ratio : {0.5, 1.0, 2.0, 4.0, 8.0}) {
        out.line(place_of(ratio), top - 10, bottom - 10, "#dddddd");
        out.text(place_of(ratio), top - 14, ratio == 0.5 ? "1/2" : std::to_string(int(ratio)),
                 "text-anchor=\"middle\"");
    }
    double y = top;
    for (const searched_call& c : calls) draw(out, c, y), y += row;
    return out.whole(width, bottom + 8);
}

}  // namespace fade::tools

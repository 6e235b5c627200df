#include "curve.hpp"

#include <algorithm>
#include <fade/core/error.hpp>
#include <fstream>

namespace demo {
namespace {

constexpr int width = 720, height = 360, margin = 50;
constexpr float highest_loss = 2.5f, lowest_accuracy = 80;

/// The mean of up to 16 losses before each, so that a line is seen and not a band.
std::vector<float> smoothed(const std::vector<float>& losses) {
    std::vector<float> out;
    for (std::size_t i = 0; i < losses.size(); ++i) {
        const std::size_t count = std::min<std::size_t>(i + 1, 16);
        float sum = 0;
        for (std::size_t k = 0; k < count; ++k) sum += losses[i - k];
        out.push_back(sum / float(count));
    }
    return out;
}

/// A line through heights from 0 (below) to 1.
void line(std::ofstream& to, const std::vector<float>& heights, const char* colour, const char* dashes) {
    to << "<polyline fill='none' stroke='" << colour << "' stroke-width='2' stroke-dasharray='" << dashes
       << "' points='";
    for (std::size_t i = 0; i < heights.size(); ++i)
        to << margin + (width - 2 * margin) * (float(i) + 1) / float(heights.size()) << ','
           << height - margin - (height - 2 * margin) * std::clamp(heights[i], 0.0f, 1.0f) << ' ';
    to << "'/>\n";
}

void text(std::ofstream& to, int x, int y, const std::string& words, const char* colour = "black") {
    to << "<text x='" << x << "' y='" << y << "' fill='" << colour << "'>" << words << "</text>\n";
}

void axes(std::ofstream& to) {
    to << "<rect x='" << margin << "' y='" << margin << "' width='" << width - 2 * margin << "' height='"
       << height - 2 * margin << "' fill='none' stroke='grey'/>\n";
    text(to, 8, margin + 5, "2.5"), text(to, 8, height - margin, "0"), text(to, 8, margin - 25, "loss");
    text(to, width - margin + 5, margin + 5, "100 %"), text(to, width - margin + 5, height - margin, "80 %");
    text(to, width - margin - 200, margin - 25, "right of those held out (dashed)");
    text(to, width / 2 - 30, height - 15, "training");
}

}  // namespace

void require_writable(const std::string& file) {
    if (!std::ofstream(file, std::ios::app)) throw fade::error("--picture", file, "it cannot be written");
}

void draw(const std::vector<curve>& curves, const std::string& file) {
    constexpr const char* colours[] = {"steelblue", "darkorange"};
    std::ofstream to(file);
    to << "<svg xmlns='http://www.w3.org/2000/svg' width='" << width << "' height='" << height
       << "' font-family='sans-serif' font-size='13'>\n<rect width='100%' height='100%' fill='white'/>\n";
    axes(to);
    int at = margin + 20;
    for (std::size_t i = 0; i < curves.size(); ++i, at += 18) {
        const char* colour = colours[i % 2];
        std::vector<float> losses = smoothed(curves[i].losses), right = curves[i].accuracies;
        for (float& x : losses) x /= highest_loss;
        for (float& x : right) x = (x - lowest_accuracy) / (100 - lowest_accuracy);
        line(to, losses, colour, "none"), line(to, right, colour, "6 4");
        text(to, width / 2 - 60, height / 2 + at - margin, curves[i].name, colour);
    }
    to << "</svg>\n";
    if (!to.flush()) throw fade::error("--picture", file, "it cannot be written");
}

}  // namespace demo

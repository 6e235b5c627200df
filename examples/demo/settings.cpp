#include "settings.hpp"

#include <cstdio>
#include <cstdlib>
#include <fade/core/error.hpp>
#include <set>

namespace demo {
namespace {

constexpr const char* help =
    R"(fade-demo [options]: trains a network of two convolutions on handwritten digits, all of it on FADE:
in f32 by SGD, in mixed precision (f16) by AdamW with a scaled loss; and runs it quantised to i8.

  --device DEV    auto (a GPU where this program was compiled for one and there is one, else the CPU), host,
                  hip:N, cuda:N; emulated:gfx942, emulated:gfx1100: the CPU trains, since emulation is
                  slow, and the emulated GPU makes the gradients of a batch and all predictions
  --quick         1 epoch of small batches, then 32 images to classify, of which 80 % are enough
  --epochs N      1 to 1000
  --batch N       8 to 1024 images a step (default 32)
  --checkpoint    trains with activation checkpointing: less memory, the same bits
  --seed N        another start of the training (default 4)
  --picture FILE  the learning curves (SVG)
  --data FILE     another file of digits than examples/data/digits.csv
  --help

On any device but the CPU, predictions and gradients are compared with those of the CPU.
Exit: 0 done; 1 a network below 98.5 %, or predictions that differ; 2 something that cannot be.
)";

/// A number in [low, high], all of whose characters are digits.
std::uint64_t number(const std::string& option, const std::string& text, std::uint64_t low,
                     std::uint64_t high) {
    std::uint64_t value = 0;
    bool good = !text.empty() && text.size() <= 18;
    for (const char c : text)
        good = good && c >= '0' && c <= '9', value = good ? 10 * value + std::uint64_t(c - '0') : 0;
    if (!good || value < low || value > high)
        throw fade::error(option, "'" + text + "'",
                          "it is a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    return value;
}

class words_left {
public:
    words_left(int count, char** words) : count_(count), words_(words) {}
    bool any() const { return at_ < count_; }

    std::string option() {
        const std::string word = words_[at_++];
        if (!seen_.insert(word).second) throw fade::error(word, "given twice", "each option is given once");
        return word;
    }
    std::string value(const std::string& option) {
        if (!any()) throw fade::error(option, "without a value", "one must follow it");
        return words_[at_++];
    }

private:
    int count_, at_ = 1;
    char** words_;
    std::set<std::string> seen_;
};

}  // namespace

settings parse(int count, char** words) {
    settings s;
    bool quick = false, own_steps = false;
    for (words_left left(count, words); left.any();) {
        const std::string word = left.option();
        if (word == "--help")
            std::fputs(help, stdout), std::exit(0);
        else if (word == "--quick")
            quick = true, s.epochs = 1, s.batch = 16, s.examined = 32, s.required = 80;
        else if (word == "--checkpoint")
            s.activations = activations::recomputed;
        else if (word == "--device")
            s.device = left.value(word);
        else if (word == "--picture")
            s.picture = left.value(word);
        else if (word == "--data")
            s.data = left.value(word);
        else if (word == "--epochs")
            own_steps = true, s.epochs = int(number(word, left.value(word), 1, 1000));
        else if (word == "--batch")
            own_steps = true, s.batch = int(number(word, left.value(word), 8, 1024));
        else if (word == "--seed")
            s.seed = number(word, left.value(word), 0, 999'999'999'999'999'999);
        else
            throw fade::error(
                "'" + word + "'", "no option",
                "there are --device --quick --epochs --batch --checkpoint --seed --picture --data --help");
    }
    if (quick && own_steps)
        throw fade::error("--quick", "given beside --epochs or --batch", "it means --epochs 1 --batch 16");
    return s;
}

}  // namespace demo

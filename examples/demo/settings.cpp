#include "settings.hpp"

#include <cstdio>
#include <cstdlib>
#include <fade/core/error.hpp>
#include <set>

namespace demo {
namespace {

constexpr const char* help =
    R"(fade-demo [options]: classifies handwritten digits, and learns to, by matrix multiplications of FADE.

  --device DEV    auto (a GPU where this program was compiled for one and there is one, else the CPU), host,
                  emulated:gfx942 (or 906 950 1030 1100 1201), hip:N, cuda:N
  --quick         20 epochs instead of 40
  --epochs N      1 to 1000
  --seed N        another start of the training (default 4); rounding may decide a near tie that it leaves
                  differently on another device in bf16
  --same-as DEV   runs on DEV too; all predictions must be the same
  --data FILE     another file of digits than examples/data/digits.csv
  --help

Exit: 0 done; 1 a classifier below 97 %, or predictions that differ; 2 something that cannot be.
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
    bool quick = false, epochs = false;
    for (words_left left(count, words); left.any();) {
        const std::string word = left.option();
        if (word == "--help")
            std::fputs(help, stdout), std::exit(0);
        else if (word == "--quick")
            quick = true, s.epochs = 20;
        else if (word == "--device")
            s.device = left.value(word);
        else if (word == "--same-as")
            s.same_as = left.value(word);
        else if (word == "--data")
            s.data = left.value(word);
        else if (word == "--epochs")
            epochs = true, s.epochs = int(number(word, left.value(word), 1, 1000));
        else if (word == "--seed")
            s.seed = number(word, left.value(word), 0, 999'999'999'999'999'999);
        else
            throw fade::error("'" + word + "'", "no option",
                              "there are --device --quick --epochs --seed --same-as --data --help");
    }
    if (quick && epochs) throw fade::error("--quick", "given beside --epochs", "it means --epochs 20");
    return s;
}

}  // namespace demo

// A fuzz target without libFuzzer, for any compiler: PROGRAM INPUTS SEED_FILE... spoils the seeds in as many
// ways.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::string_view odd[] = {"",        "0",    "-1", "4294967296", "18446744073709551615",
                                    "1e99999", "null", "{",  "]",          "\"",
                                    "0x",      "gfx",  "\n", "\xff\xfe",   "\\u12"};

std::string read(const char* path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// One word exchanged, one byte flipped, one piece cut out or doubled.
void spoil(std::string& text, std::mt19937_64& random) {
    const auto below = [&](std::size_t n) { return std::size_t(random() % std::max<std::size_t>(n, 1)); };
    const std::size_t at = below(text.size()), length = below(std::min<std::size_t>(text.size() - at, 24));
    switch (below(4)) {
    case 0:
        text.replace(at, length, odd[below(std::size(odd))]);
        break;
    case 1:
        text.erase(at, length);
        break;
    case 2:
        text.insert(at, text.substr(below(text.size()), length));
        break;
    default:
        if (!text.empty()) text[at] = char(random());
    }
}

/// Bytes of no meaning, for targets whose inputs are no text.
std::string noise(std::mt19937_64& random) {
    std::string out(400, '\0');
    for (char& c : out) c = char(random());
    return out;
}

}  // namespace

int main(int count, char** words) {
    const long inputs = count > 1 ? std::atol(words[1]) : 1000;
    std::vector<std::string> seeds{std::string(200, '\0')};
    for (int i = 2; i < count; ++i) seeds.push_back(read(words[i]));
    for (long i = 0; i < inputs; ++i) {
        std::mt19937_64 random(static_cast<unsigned long>(i));
        const std::size_t from = std::size_t(i) % (seeds.size() + 1);
        std::string text = from < seeds.size() ? seeds[from] : noise(random);
        for (std::uint64_t left = random() % 6; left > 0; --left) spoil(text, random);
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    }
    std::printf("%ld inputs from %zu seeds\n", inputs, seeds.size());
    return 0;
}

// A tiny GPT writes in the manner of Shakespeare, byte by byte: GEMMs with fused epilogues, attention over a
// cache of keys and values, append_kv with rotary positions, norms, top-k sampling, and a kernel of its own
// (gpt/rows.hpp).
// scripts/train_tiny_gpt made its weights.
// --device NAME (host, emulated:gfx942, emulated:gfx1100; compiled as HIP also hip:0), --same-as NAME writes
// on that device too and wants the same bytes, --prompt TEXT, --bytes N (to write), --windows N (of the
// held-out text).
#include "gpt/bytes.hpp"
#include "gpt/model.hpp"
#include <cstdio>
#include <map>

namespace {

/// Words behind the options, with what holds where none was given.
using settings = std::map<std::string, std::string>;

settings parse(int count, char** words) {
    settings s{{"--device", "host"},
               {"--same-as", ""},
               {"--prompt", "GLOUCESTER:\n"},
               {"--bytes", "240"},
               {"--windows", "16"}};
    for (int i = 1; i < count; i += 2) {
        if (!s.count(words[i]) || i + 1 == count)
            throw fade::error(
                "the option", words[i],
                "there are --device, --same-as, --prompt, --bytes and --windows, each with a word behind it");
        s[words[i]] = words[i + 1];
    }
    return s;
}

int number(const settings& s, const std::string& option) {
    const std::string& text = s.at(option);
    if (text.empty() || text.size() > 6 || text.find_first_not_of("0123456789") != std::string::npos ||
        std::stoi(text) == 0)
        throw fade::error(option, "'" + text + "'", "it is a whole number from 1 to 999999");
    return std::stoi(text);
}

struct outcome {
    std::string text;
    double bits;
};

template <class Device>
outcome write(Device device, const settings& s) {
    const gpt::checkpoint weights("examples/data/tiny_gpt.bin");
    const std::string all = gpt::contents_of("examples/data/shakespeare.txt"), prompt = s.at("--prompt");
    gpt::model<Device> model(device, weights);
    outcome out{prompt, gpt::bits_per_byte(model, all.substr(all.size() * 9 / 10),
                                           number(s, "--windows"))};  // trained on the rest

    demo::random_source random(1);
    constexpr double temperature = 0.7;
    constexpr int likeliest = 40;
    gpt::choices next;
    model.forget();
    const double prefill = gpt::seconds([&] {
        model.read(prompt, temperature);
        next = model.likeliest(likeliest);
    });
    const int count = number(s, "--bytes");
    const double decode = gpt::seconds([&] {
        for (int i = 0; i < count; ++i) {
            out.text += gpt::draw(next, random);
            model.read(out.text.substr(out.text.size() - 1), temperature);
            next = model.likeliest(likeliest);
        }
    });

    std::printf("%s\n\n%s\n\n", device.name().c_str(), out.text.c_str());
    std::printf("prefill %.0f, decode %.0f bytes a second%s\n", double(prompt.size()) / prefill,
                count / decode,
                device.name().rfind("emulated", 0) == 0 ? " (the speed of the emulation)" : "");
    std::printf("held-out text: %.4f bits a byte\nThe kernels that ran:\n", out.bits);
    for (const auto& [kernel, calls] : model.calls()) std::printf("%7d x %s\n", calls, kernel.c_str());
    return out;
}

outcome write_on(const std::string& name, const settings& s) {
    if (name == "host") return write(fade::host_device(), s);
    if (name == "emulated:gfx942") return write(fade::emulated_device<fade::arch::gfx942>(), s);
    if (name == "emulated:gfx1100") return write(fade::emulated_device<fade::arch::gfx1100>(), s);
#if defined(__HIP__)
    if (name == "hip:0") return write(fade::hip_device(), s);
#endif
    throw fade::error(
        "--device", name,
        "this program holds host, emulated:gfx942 gfx1100, and hip:0 where it was compiled for it");
}

}  // namespace

int main(int count, char** words) try {
    const settings s = parse(count, words);
    const outcome o = write_on(s.at("--device"), s);
    bool good = o.bits < 2.6;  // 7 before training, 4.8 for letters by how often they come alone
    if (const std::string& other = s.at("--same-as"); !other.empty()) {
        std::printf("\n");
        const outcome there = write_on(other, s);
        const bool same = o.text == there.text && std::abs(o.bits - there.bits) < 1e-4;
        std::printf("\n%s and %s write %s\n", s.at("--device").c_str(), other.c_str(),
                    same ? "the same bytes" : "DIFFERENT bytes");
        good = good && same;
    }
    return good ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "example-tiny_gpt: %s.\n", e.what());
    return 2;
}

// What FADE makes of the runtime's answers alone: the traits of device 0, one `name value` a line; unknown
// ones are left out.
#include <cstdio>
#include <fade/backend/hip/reading.hpp>
#include <fade/device.hpp>
#include <string>
#include <vector>

namespace {

std::string words(std::uint64_t v) { return std::to_string(v); }
std::string words(double v) { return std::to_string(v); }
std::string words(const std::string& v) { return v; }
std::string words(const std::vector<std::uint64_t>& v) {
    std::string out;
    for (std::uint64_t n : v) out += (out.empty() ? "" : ",") + std::to_string(n);
    return out;
}

}  // namespace

int main() {
    const auto said = fade::backend::hip::read_device(0);
    const auto d = fade::describe_joined(said, fade::live::read_machine());
    std::printf("reported %llu\nselector %d\n",
                static_cast<unsigned long long>(said.multiprocessors.value_or(0)),
                fade::selector_units(said));
    fade::truth::each_trait(d.traits, [](const char* name, const auto& f) {
        if (f) std::printf("%s %s\n", name, words(*f).c_str());
    });
    return 0;
}

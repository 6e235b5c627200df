// Random arguments, and what a test calls of fade.h and of C++ beside each other.
#pragma once
#include <cstring>
#include <doctest/doctest.h>
#include <fade.h>
#include <fade/core/dtype.hpp>
#include <fade/device/devices.hpp>
#include <random>
#include <string>
#include <vector>

namespace fade::test {

inline std::mt19937_64& numbers() {
    static std::mt19937_64 engine = [] {
        const auto seed = std::random_device{}();
        MESSAGE("seed " << seed);
        return std::mt19937_64(seed);
    }();
    return engine;
}
inline index drawn(index low, index high) {
    return std::uniform_int_distribution<index>(low, high)(numbers());
}

template <class T>
std::vector<T> some(index count) {
    std::vector<T> out(static_cast<std::size_t>(count));
    std::normal_distribution<float> normal;
    for (T& x : out) x = fade::convert<T>(std::is_integral_v<T> ? 4 * normal(numbers()) : normal(numbers()));
    return out;
}
template <class T>
std::vector<T> poison(index count) {
    std::vector<T> out(static_cast<std::size_t>(count));
    std::memset(static_cast<void*>(out.data()), 0x7b, out.size() * sizeof(T));
    return out;
}
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

struct opened {
    fade_device* c = nullptr;
    fade::host_device cpp{2};
    opened() {
        fade_device_config config;
        fade_device_config_init(&config, sizeof config);
        config.threads = 2;
        REQUIRE(fade_device_open("host", &config, &c) == FADE_OK);
    }
    ~opened() { fade_device_close(c); }
};

template <class S>
S made(void (*init)(S*, size_t)) {
    S out;
    init(&out, sizeof out);
    return out;
}

inline void is_done(fade_status status) {
    INFO(std::string(fade_last_error()->message));
    REQUIRE(status == FADE_OK);
}

}  // namespace fade::test

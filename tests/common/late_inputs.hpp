// Inputs that the kernel before writes until a workgroup awaits them: read earlier, they hold something else.
#pragma once
#include <cmath>
#include <cstring>
#include <fade/device/emulated_device.hpp>
#include <type_traits>
#include <vector>

namespace fade::test {

/// What stands in memory while a workgroup has not awaited its inputs: zeros for numbers of tokens and pages,
/// NaN for the rest.
class late_inputs : public backend::emulated::input_watcher {
public:
    template <class T>
    void add(std::vector<T>& x) {
        if (x.empty()) return;
        const T early = std::is_same_v<T, int> ? T(0) : T(std::nan(""));
        tables_.push_back({x.data(), bytes_of(x), bytes_of(std::vector<T>(x.size(), early))});
    }
    void late() override {
        for (const table& t : tables_) std::memcpy(t.at, t.early.data(), t.early.size());
        ++begun;
    }
    void here() override {
        for (const table& t : tables_) std::memcpy(t.at, t.right.data(), t.right.size());
    }
    int begun = 0;  ///< workgroups that await their inputs themselves

private:
    struct table {
        void* at;
        std::vector<char> right, early;
    };
    template <class T>
    static std::vector<char> bytes_of(const std::vector<T>& x) {
        const auto* first = reinterpret_cast<const char*>(x.data());
        return {first, first + x.size() * sizeof(T)};
    }
    std::vector<table> tables_;
};

}  // namespace fade::test

// A source of tuned policies that says what a test tells it.
#pragma once
#include <cstdlib>
#include <doctest/doctest.h>
#include <fade/tune/policy_json.hpp>
#include <fade/tune/tuned.hpp>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace fade::test {

/// Answers with what a test says, and remembers what was asked.
struct told : tuned_policies {
    tuned_policy answer;
    mutable tuning_problem problem;
    mutable tuning_machine machine;
    mutable int calls = 0;
    tuned_policy find(const tuning_problem& p, const tuning_machine& m) const override {
        problem = p, machine = m, ++calls;
        return answer;
    }
    template <class Policy>
    void say(const Policy& policy, tuned_match match = tuned_match::exact) {
        answer = {.match = match,
                  .policy = tune::policy_json(policy),
                  .why = "a test has a row",
                  .evidence = "tuned: made up"};
    }
};

inline bool says(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
}

/// A file in a folder that is gone at the end.
class scratch_file {
public:
    scratch_file() : folder_((std::filesystem::temp_directory_path() / "fade-tune-XXXXXX").string()) {
        REQUIRE(::mkdtemp(folder_.data()));
    }
    ~scratch_file() { std::filesystem::remove_all(folder_); }
    std::string path() const { return folder_ + "/db"; }

private:
    std::string folder_;
};

inline unsigned drawn_seed() {
    const unsigned seed = std::random_device{}();
    MESSAGE("seed ", seed);
    return seed;
}

inline std::vector<float> random_numbers(std::mt19937& random, fade::index count) {
    std::uniform_real_distribution<float> number(-1, 1);
    std::vector<float> out(static_cast<std::size_t>(count));
    for (float& x : out) x = number(random);
    return out;
}

}  // namespace fade::test

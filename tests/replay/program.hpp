// main() of a program that captures launches: PROGRAM FOLDER SEED.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>

namespace fade::replay {

/// Reads the words, captures, and says what went wrong: the exit code of the program.
template <class Capture>
int capture_into_folder(int count, char** words, Capture capture) {
    if (count != 3) return std::fprintf(stderr, "usage: %s FOLDER SEED\n", words[0]), 2;
    try {
        capture(std::filesystem::path(words[1]), std::strtoull(words[2], nullptr, 10));
    } catch (const std::exception& e) {
        return std::fprintf(stderr, "%s\n", e.what()), 1;
    }
    return 0;
}

}  // namespace fade::replay

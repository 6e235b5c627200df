// A program of unit tests that says the first thing that is wrong, and nothing else.
#pragma once
#define DOCTEST_CONFIG_IMPLEMENT
#include <algorithm>
#include <cstdio>
#include <doctest/doctest.h>
#include <sstream>
#include <string>

int main() {
    std::ostringstream all;
    doctest::Context tests;
    tests.setOption("no-colors", true), tests.setOption("abort-after", 1), tests.setCout(&all);
    const bool failed = tests.run();
    const std::string said = all.str();
    if (failed) std::puts(said.substr(std::min(said.find("ERROR"), said.size())).c_str());
    return failed;
}

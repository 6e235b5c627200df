// The tests, and an end at once: what is destroyed behind main() would ask a runtime that has ended for its
// memory.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <iostream>

int main(int count, char** words) {
    const int result = doctest::Context(count, words).run();
    std::cout.flush(), std::cerr.flush(), std::fflush(nullptr);
    std::_Exit(result);
}

// A list holds what was put into it, whatever it had to move for that.
#include <doctest/doctest.h>
#include <fade/core/call/list.hpp>

TEST_CASE("a list grows, keeps its values, and takes one of its own") {
    fade::list<int> l(3);
    CHECK(l.size() == 3);
    for (int v : l) CHECK(v == 0);
    for (int i = 3; i < 1000; ++i) l[0] = i, l.push_back(l[0]);  // the value lies where growing frees
    CHECK(l.size() == 1000);
    for (int i = 3; i < 1000; ++i) CHECK(l[std::size_t(i)] == i);
    l.clear();
    CHECK(l.size() == 0);
    CHECK(l.begin() == l.end());
    l.push_back(7);
    CHECK(l[0] == 7);
}

// What is measured takes turns with several sets of memory, so that caches hold none of them.
#include "../../../tools/bench/instances/cpu_runner.hpp"
#include "../../../tools/bench/peer_maker.hpp"
#include <doctest/doctest.h>
#include <set>

using namespace fade;
using namespace fade::bench;

namespace rotated {

/// Reads x and writes y.
struct call {
    const int* x;
    int* y;
};

call moved(call one, const auto& there) {
    one.x = static_cast<const int*>(there(one.x)), one.y = static_cast<int*>(there(one.y));
    return one;
}

std::vector<call> ran;

struct task {
    using In = float;
    using Out = float;
    explicit task(const rotated::call& one) : call_(one) {}
    const rotated::call& call() const { return call_; }
    template <class Device>
    fade::report run(Device&) const {
        ran.push_back(call_);
        return {};
    }

private:
    rotated::call call_;
};

}  // namespace rotated

TEST_CASE("each run takes the next set of memory, all with the same contents") {
    const int x[3] = {4, 5, 6};
    int y[2] = {7, 8};
    cpu_session<host_device, rotated::task> session(
        {x, y}, {{const_cast<int*>(x), sizeof x, false}, {y, sizeof y, true}});
    rotated::ran.clear();
    for (int i = 0; i < 2; ++i) session.start();
    CHECK((rotated::ran[0].x == x && rotated::ran[1].y == y));
    session.rotate(3);
    rotated::ran.clear();
    for (int i = 0; i < 7; ++i) session.start();
    CHECK((rotated::ran[0].x == x && rotated::ran[0].y == y));
    std::set<const void*> places;
    for (int i = 0; i < 3; ++i) {
        const rotated::call &one = rotated::ran[i], &again = rotated::ran[i + 3];
        CHECK((one.x == again.x && one.y == again.y));
        CHECK((one.x[0] == 4 && one.x[2] == 6 && one.y[0] == 7 && one.y[1] == 8));
        places.insert(one.x), places.insert(one.y);
    }
    CHECK(places.size() == 6);
    const auto sets = session.there();
    CHECK(sets.size() == 3);
    for (int i = 0; i < 3; ++i) CHECK((sets[i].x == rotated::ran[i].x && sets[i].y == rotated::ran[i].y));
}

TEST_CASE("peers take the same turns") {
    in_turn<int> turns({1, 2, 3});
    for (int round = 0; round < 2; ++round)
        for (int wanted : {1, 2, 3}) CHECK(turns.next() == wanted);
}

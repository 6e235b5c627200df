// Work is done once each, whoever does it; threads outlive a call; what a worker throws reaches the caller.
#include <atomic>
#include <chrono>
#include <doctest/doctest.h>
#include <fade/backend/host/parallel.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace fade::backend::host;

TEST_CASE("every item once, on no more threads than asked") {
    thread_team team;
    for (const long count : {0L, 1L, 2L, 7L, 1000L})
        for (const int threads : {1, 2, 5}) {
            std::vector<std::atomic<int>> seen(std::size_t(count) + 1);
            std::atomic<int> highest{0};
            parallel(team, count, threads, [&](int worker, long i) {
                ++seen[std::size_t(i)];
                for (int h = highest; worker > h && !highest.compare_exchange_weak(h, worker);) {
                }
            });
            for (long i = 0; i < count; ++i) CHECK(seen[std::size_t(i)] == 1);
            CHECK(seen.back() == 0);
            CHECK(highest < threads);
        }
}

TEST_CASE("calls after short and long pauses") {
    thread_team team;
    std::atomic<long> sum{0};
    for (int call = 0; call < 3000; ++call) {
        if (call % 1000 == 999)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));  // workers are asleep by then
        parallel(team, 3, 3, [&](int, long i) { sum += i + 1; });
    }
    CHECK(sum == 3000 * 6);
}

TEST_CASE("an exception of any thread reaches the caller, and the team goes on") {
    thread_team team;
    for (int round = 0; round < 50; ++round) {
        CHECK_THROWS_AS(parallel(team, 100, 4,
                                 [](int, long i) {
                                     if (i % 3 == 2) throw std::runtime_error("refused");
                                 }),
                        std::runtime_error);
        std::atomic<int> done{0};
        parallel(team, 100, 4, [&](int, long) { ++done; });
        CHECK(done == 100);
    }
}

TEST_CASE("a team with stacks of its own leaves the caller's alone") {
    thread_team team(std::size_t(4) << 20);
    const auto caller = std::this_thread::get_id();
    for (const long count : {0L, 1L, 3L, 100L})
        for (const int threads : {1, 4}) {
            std::atomic<long> done{0};
            std::atomic<int> here{0}, sum{0};
            parallel(team, count, threads, [&](int worker, long) {
                volatile char registers[3 << 20];  // more than some systems give a thread
                registers[0] = char(1);
                registers[sizeof registers - 1] = char(1);
                here += std::this_thread::get_id() == caller || worker < 0 || worker >= threads;
                sum += registers[0] * registers[sizeof registers - 1];
                ++done;
            });
            CHECK(done == count);
            CHECK(sum == count);
            CHECK(here == 0);
        }
}

#if defined(__linux__)
TEST_CASE("cores are those that this process may use") {
    cpu_set_t before, one;
    REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
    CHECK(cores() == CPU_COUNT(&before));
    CPU_ZERO(&one);
    for (int c = 0; c < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++c)
        if (CPU_ISSET(c, &before)) CPU_SET(c, &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK(cores() == 1);
    sched_setaffinity(0, sizeof before, &before);
}
#endif

// One thread at a time uses a device, and another is told so; processes that fork go on.
#include <atomic>
#include <doctest/doctest.h>
#include <fade/gemm.hpp>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace fade;

namespace {

/// A product of ones, and whether its result is right or untouched. One of 400 is shared by threads of the
/// host.
struct product {
    fade::index side;
    std::vector<float> a = std::vector<float>(std::size_t(side * side), 1.0f), b = a,
                       d = std::vector<float>(std::size_t(side * side), -7.0f);

    template <class Device>
    void run(Device& device) {
        gemm<float>(device, {.m = side, .n = side, .k = side}, {.a = a.data(), .b = b.data(), .d = d.data()},
                    {}, {.split_k = 3});
    }
    bool all(float value) const {
        for (const float x : d)
            if (x != value) return false;
        return true;
    }
    bool right() const { return all(float(side)); }
    bool untouched() const { return all(-7); }
};

/// What a call on another thread says.
template <class Device>
std::string said_elsewhere(Device& device, product& p) {
    std::string said;
    std::thread([&] {
        try {
            p.run(device);
        } catch (const error& e) {
            said = e.what();
        }
    }).join();
    return said;
}

template <class Device>
void check_users(Device& device, fade::index side) {
    product mine{side}, other{side};
    {
        const auto alone = device.use();
        CHECK(said_elsewhere(device, other) == "device is " + device.name() +
                                                   ", but another thread is using it: give each thread a "
                                                   "device of its own");
        CHECK(other.untouched());
        mine.run(device);  // the thread that has it may call
        CHECK(mine.right());
        CHECK(said_elsewhere(device, other) != "");  // and has it still
    }
    CHECK(said_elsewhere(device, other) == "");
    CHECK(other.right());
}

/// Four threads at once: each call is right, or refused with nothing written.
template <class Device>
void check_crowd(Device& device, fade::index side, int calls) {
    std::atomic<int> right{0}, refused{0}, wrong{0};
    std::vector<std::thread> crowd;
    for (int t = 0; t < 4; ++t)
        crowd.emplace_back([&] {
            for (int call = 0; call < calls; ++call) {
                product p{side};
                try {
                    p.run(device);
                    ++(p.right() ? right : wrong);
                } catch (const error&) {
                    ++(p.untouched() ? refused : wrong);
                }
            }
        });
    for (auto& t : crowd) t.join();
    CHECK(wrong == 0);
    CHECK(right + refused == 4 * calls);
    CHECK(right > 0);
}

/// How a child process ends that calls f: 0 where it exits well.
template <class F>
int status_of_child(F f) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);  // a child that waits for threads which it has not
        f();
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

host_device of_the_program(8);

}  // namespace

TEST_CASE("a device in use says so") {
    host_device host(2);
    emulated_device<arch::gfx1100> emulated({.threads = 2});
    check_users(host, 400), check_users(emulated, 64);
}

TEST_CASE("four threads on one device") {
    host_device host(3);
    emulated_device<arch::gfx906> emulated({.threads = 2});
    check_crowd(host, 400, 50), check_crowd(emulated, 64, 5);
}

TEST_CASE("a child process exits, and destroys what its parent used") {
    product p{400};
    p.run(of_the_program);
    REQUIRE(p.right());
    CHECK(status_of_child([] { std::exit(0); }) == 0);  // destructors of statics
    CHECK(status_of_child([] {
              auto* device = new host_device(8);
              product q{400};
              q.run(*device);
              const int grandchild = status_of_child([&] { delete device, _exit(0); });
              delete device;
              _exit(grandchild == 0 && q.right() ? 0 : 1);
          }) == 0);
}

TEST_CASE("a child process uses what its parent used") {
    emulated_device<arch::gfx1030> emulated({.threads = 2});
    product p{400};
    product e{64};
    p.run(of_the_program), e.run(emulated);
    CHECK(status_of_child([&] {
              product q{400}, r{64};
              q.run(of_the_program), r.run(emulated);
              std::exit(q.right() && r.right() ? 0 : 1);
          }) == 0);
    product again{400};
    again.run(of_the_program);  // and the parent goes on
    CHECK(again.right());
}

// What the user says of devices: the file, its sections by PCI address, the variables over it, and what is
// refused.
#include <cstdlib>
#include <doctest/doctest.h>
#include <fade/device.hpp>
#include <string>

using fade::live::user_config;

namespace {

user_config parse(const char* text) { return user_config::parse(text, "devices.conf"); }

std::string refusal(const char* text) {
    try {
        static_cast<void>(parse(text));
    } catch (const fade::error& e) {
        return e.what();
    }
    return {};
}

/// A variable for as long as the object lives.
class variable {
public:
    variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
    ~variable() { ::unsetenv(name_); }

private:
    const char* name_;
};

}  // namespace

TEST_CASE("a section is for the device at its address, what stands before all sections for every device") {
    const auto config = parse("# two cards\nl2_bytes = 1024\r\n\n[0000:03:00.0]\n cu_count =  "
                              "72\n[0000:09:00]\ncu_count=60\ngfx = gfx1030");
    CHECK(*config.of("0000:03:00.0").cu_count == 72);
    CHECK(*config.of("0000:03:00.0").l2_bytes == 1024);
    CHECK_FALSE(config.of("0000:03:00.1").cu_count);
    CHECK(*config.of("0000:09:00.3").cu_count == 60);
    CHECK(*config.of("0000:09:00.3").gfx == "gfx1030");
    CHECK_FALSE(config.of("").cu_count);
}

TEST_CASE("a function's section is nearer than its card's, in either order") {
    CHECK(*parse("[0000:03:00.1]\ncu_count = 20\n[0000:03:00]\ncu_count = 38").of("0000:03:00.1").cu_count ==
          20);
    CHECK(*parse("[0000:03:00]\ncu_count = 38\n[0000:03:00.1]\ncu_count = 20").of("0000:03:00.1").cu_count ==
          20);
}

TEST_CASE("a line that cannot be is refused with its number") {
    CHECK(refusal("cu_count = 72\ncu_cout = 1").find("devices.conf:2 is 'cu_cout = 1', but a line is") == 0);
    for (const char* bad :
         {"cu_count", "cu_count = ", "cu_count = 0", "cu_count = -1", "cu_count = 99999999999999999999",
          "cu_count = 72 CUs", "gfx = gfx9999", "gfx = ", "[03:00.0]", "[0000:03:00.0", "[]",
          "[0000:03:00.00]", "l2_bytes = 4M", "= 3", "warp_size = 64"})
        CHECK_FALSE(refusal(bad).empty());
    CHECK(refusal("").empty());
    CHECK(refusal("# nothing\n\n").empty());
}

TEST_CASE("variables stand over the file, and are checked like it") {
    const auto config = parse("cu_count = 60");
    CHECK(*fade::live::read_user(config, "").cu_count == 60);
    const variable more("FADE_CU_COUNT", "72");
    CHECK(*fade::live::read_user(config, "").cu_count == 72);
    const variable bad("FADE_GFX", "navi21");
    CHECK_THROWS_AS(fade::live::read_user(config, ""), fade::error);
}

TEST_CASE("a file that is not there is no empty file") {
    const variable none("FADE_CONFIG", "/nowhere/devices.conf");
    CHECK_THROWS_AS(fade::live::read_config(), fade::error);
}

TEST_CASE("what the user says is taken, and what was reported is kept beside it") {
    fade::truth::readings r;
    r.runtime.target = "gfx1030", r.runtime.multiprocessors = 36;
    r.user = parse("cu_count = 60").of("");
    const auto t = fade::describe(r).traits;
    CHECK(*t.cu_count == 60);
    CHECK(t.cu_count.source == "user");
    CHECK(*t.cu_count.reported == 36);
}

// Modules: what names them, who compiles them, and what is not loaded.
#include "common/compiler_trial.hpp"
#include <chrono>
#include <doctest/doctest.h>
#include <fade/tune/gemm/space.hpp>
#include <fade/tune/module/cache.hpp>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace fade;
using namespace fade::test;
namespace fs = std::filesystem;
using std::chrono::steady_clock;

namespace {

/// A variable of the environment, until the end of a scope.
struct variable {
    std::string name, before;
    bool was;
    variable(const char* n, const std::string& value) : name(n), was(std::getenv(n)) {
        if (was) before = std::getenv(n);
        ::setenv(n, value.c_str(), 1);
    }
    ~variable() { was ? ::setenv(name.c_str(), before.c_str(), 1) : ::unsetenv(name.c_str()); }
};

tune::module_request request() {
    return {.arch = "gfx1100",
            .type = dtype::f32,
            .access = operand_access::nn,
            .policy = tune::gemm_rows<arch::gfx1100, float>::row.small};
}
tune::time_limit in(std::chrono::milliseconds time) { return steady_clock::now() + time; }

}  // namespace

TEST_CASE("SHA-256 of FIPS 180-4's examples") {
    CHECK(tune::sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(tune::sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(tune::sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(tune::sha256(std::string(1000000, 'a')) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("programs are found by absolute paths, and never in the working directory") {
    const scratch_folder folder;
    const std::string mine = folder.file("mine", "#!/bin/sh\n");
    folder.file("text", "no program", fs::perms(0600));
    const fs::path before = fs::current_path();
    fs::current_path(folder.path);
    CHECK(tune::program_file("compiler", mine) == mine);
    for (const char* path : {"", ":", ".", ":.:relative", "/nowhere"}) {
        const variable of_path("PATH", path);
        CHECK_THROWS_AS(tune::program_file("compiler", "mine"), error);
    }
    const variable of_path("PATH", ".:" + folder.path);
    CHECK(tune::program_file("compiler", "mine") == mine);
    for (const char* word : {"./mine", "", "text", "../mine", "/nowhere/mine", "mine -x"})
        CHECK_THROWS_AS(tune::program_file("compiler", word), error);
    fs::current_path(before);
}

TEST_CASE("a program that is too slow is killed with all that it started") {
    const scratch_folder folder;
    const std::string log = folder.path + "/log", alive = folder.path + "/alive";
    const auto run = [&](const std::string& script, std::chrono::milliseconds time) {
        return tune::run_process({"/bin/sh", "-c", script}, folder.path, log, in(time));
    };
    using enum tune::process_end;
    CHECK(run("pwd; echo said >&2; cat", std::chrono::seconds(20)) == done);
    CHECK(tune::text_of_file(log) == folder.path + "\nsaid\n");
    CHECK(run("exit 3", std::chrono::seconds(20)) == failed);
    CHECK(run("kill -9 $$", std::chrono::seconds(20)) == failed);
    CHECK(tune::run_process({"/nowhere/x"}, folder.path, log, in(std::chrono::seconds(9))) == not_started);
    // Whoever lives holds the end of a pipe that is written: no time has to be waited for.
    REQUIRE(::mkfifo(alive.c_str(), 0600) == 0);
    const int pipe = ::open(alive.c_str(), O_RDONLY | O_NONBLOCK);
    const auto begin = steady_clock::now();
    CHECK(run("(echo x; exec sleep 100) > alive & exec sleep 100", std::chrono::milliseconds(300)) ==
          out_of_time);
    CHECK(steady_clock::now() - begin < std::chrono::seconds(50));
    char read[8];
    ssize_t left = -1;
    for (int i = 0; i < 600 && left != 0; ++i) {  // one that was killed takes a moment to end
        left = ::read(pipe, read, sizeof read);
        if (left < 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    CHECK(left == 0);
    ::close(pipe);
}

TEST_CASE("a cache is a folder of one's own, and its options are checked") {
    const scratch_folder folder;
    const std::string compiler = folder.file("cc", "#!/bin/sh\nexit 1\n");
    const auto cache = [&](tune::module_request r, module_options o) {
        if (o.compiler.empty()) o.compiler = compiler;
        if (o.include.empty()) o.include = include_folder();
        return tune::module_cache(o).key_of(r);
    };
    const std::string own = folder.path + "/own";
    const std::string key = cache(request(), {.folder = own});
    CHECK(key.size() == 32);
    CHECK((fs::status(own).permissions() & fs::perms(0777)) == fs::perms(0700));
    CHECK(cache(request(), {.folder = own}) == key);
    tune::module_request other = request();
    other.policy->swizzle_rows = 3;
    CHECK(cache(other, {.folder = own}) != key);
    CHECK(cache(request(), {.flags = {"-g"}, .folder = own}) != key);
    CHECK(cache(request(), {.compiler = folder.file("cc2", "#!/bin/sh\nexit 2\n"), .folder = own}) != key);
    fs::permissions(own, fs::perms(0750));
    CHECK(says(refusal_of([&] { cache(request(), {.folder = own}); }), "nobody else may enter"));
    fs::create_directory_symlink(folder.path, folder.path + "/link");
    CHECK(says(refusal_of([&] { cache(request(), {.folder = folder.path + "/link"}); }),
               "nobody else may enter"));
    CHECK(says(refusal_of([&] { cache(request(), {.folder = "own"}); }), "an absolute path"));
    CHECK(says(refusal_of([&] { cache(request(), {.include = folder.path, .folder = own}); }),
               "fade/gemm.hpp"));
    CHECK(says(refusal_of([&] { cache(request(), {.compiler = "./cc", .folder = own}); }),
               "the absolute path"));
    other.arch = "gfx1; rm";
    CHECK(says(refusal_of([&] { tune::module_source(other); }), "AMD architectures of FADE"));
    other = request(), other.type = dtype::i8;
    CHECK(says(refusal_of([&] { tune::module_source(other); }), "f32, f16 and bf16"));
    const variable home("HOME", folder.path), xdg("XDG_CACHE_HOME", "relative");
    CHECK(tune::detail::default_module_folder() == folder.path + "/.cache/fade/modules");
    const variable absolute("XDG_CACHE_HOME", folder.path + "/xdg");
    CHECK(tune::detail::default_module_folder() == folder.path + "/xdg/fade/modules");
}

TEST_CASE(
    "what a compiler refuses, does not end or leaves in a wrong place is no module, and nothing stays") {
    const scratch_folder folder;
    const std::string own = folder.path + "/own";
    const auto find = [&](const std::string& script, std::chrono::milliseconds time, bool compiles = true) {
        tune::module_cache cache({.compiler = folder.file("cc", "#!/bin/sh\n" + script + "\n"),
                                  .include = include_folder(),
                                  .folder = own,
                                  .compiles = compiles});
        return std::pair{cache.find(request(), in(time)), cache.key_of(request())};
    };
    const auto files = [&] {
        std::vector<std::string> out;
        for (const auto& at : fs::directory_iterator(own)) out.push_back(at.path().filename().string());
        return out;
    };
    CHECK(says(find("exit 0", std::chrono::seconds(9), false).first.why, "has no module"));
    const auto begin = steady_clock::now();
    auto found = find("sleep 100", std::chrono::milliseconds(200)).first;
    CHECK(steady_clock::now() - begin < std::chrono::seconds(50));
    CHECK((found.out_of_time && !found.functions));
    CHECK(find("exit 0", std::chrono::milliseconds(-1)).first.out_of_time);
    // It is back by the limit, and begins nothing that takes as long as the last one did.
    const auto script = [&](const char* line) {
        return folder.file("cc", std::string("#!/bin/sh\n") + line + "\n");
    };
    tune::module_cache paced({.compiler = script("sleep 100"), .include = include_folder(), .folder = own});
    // A machine under load may wake a thread late; a cache that kept nothing back would be late every time.
    int in_time = 0;
    for (int i = 0; i < 5 || (in_time == 0 && i < 60); ++i) {
        const auto limit = in(std::chrono::milliseconds(150 + 50 * (i % 5)));
        CHECK(paced.find(request(), limit).out_of_time);
        const auto now = steady_clock::now();
        in_time += now < limit;
        CHECK(now < limit + std::chrono::seconds(50));
    }
    CHECK(in_time > 0);
    script("touch begun");
    CHECK(paced.find(request(), in(std::chrono::milliseconds(200))).out_of_time);
    CHECK_FALSE(fs::exists(own + "/begun"));
    CHECK(says(find("echo 'x.cpp:3: error: no space left'; exit 1", std::chrono::seconds(9)).first.why,
               "no space left"));
    CHECK(files().empty());
    // Of FADE's own rules it is remembered.
    const std::string rule = "echo 'x: error: static assertion failed: a rule'; exit 1";
    found = find(rule, std::chrono::seconds(9)).first;
    CHECK((says(found.why, "a rule") && !found.cached));
    CHECK(files().size() == 1);
    tune::module_cache again({.compiler = folder.path + "/cc", .include = include_folder(), .folder = own});
    found = again.find(request(), in(std::chrono::seconds(-1)));
    CHECK((found.cached && says(found.why, "a rule")));
    // No library, and one that others may write.
    const std::string key = again.key_of(request()), so = own + "/" + key + ".so";
    std::ofstream(so) << "no library";
    fs::permissions(so, fs::perms(0700));
    CHECK_FALSE(again.find(request(), in(std::chrono::seconds(-1))).functions);
    fs::permissions(so, fs::perms(0722));
    CHECK(again.find(request(), in(std::chrono::seconds(-1))).why.find("a rule") != std::string::npos);
}

TEST_CASE("a module's device is opened once for each target, and closed with the cache") {
    static int opens, closes;
    opens = closes = 0;
    const tune::gemm_module module{.open = [](const tune::module_target& t, tune::module_words why) -> void* {
                                       if (t.number < 0)
                                           return std::snprintf(why.text, why.room, "there is none"), nullptr;
                                       return ++opens, &opens;
                                   },
                                   .close = [](void*) { ++closes; }};
    const scratch_folder folder;
    {
        tune::module_cache cache({.compiler = folder.file("cc", "#!/bin/sh\n"),
                                  .include = include_folder(),
                                  .folder = folder.path + "/own"});
        char text[40] = "";
        const tune::module_words why{text, sizeof text};
        for (int i = 0; i < 3; ++i) CHECK(cache.device_of(module, {}, why));
        CHECK(opens == 1);
        CHECK(cache.device_of(module, {.stream = &opens}, why));
        CHECK(cache.device_of(module, {.number = 1}, why));
        CHECK_FALSE(cache.device_of(module, {.number = -1}, why));
        CHECK(says(text, "there is none"));
        CHECK((opens == 3 && closes == 0));
    }
    CHECK(closes == 3);
}

TEST_CASE_TEMPLATE("candidates hold the rules of registers, shared memory and divisibility", Arch,
                   arch::gfx90a, arch::gfx942, arch::gfx1030, arch::gfx1100, arch::gfx1201) {
    constexpr tune::gemm_row row = tune::gemm_rows<Arch, f16>::row;
    const auto obstacle = [](const gemm_policy& p) { return tune::space_obstacle<Arch, f16>(p); };
    CHECK(obstacle(row.small) == "");
    CHECK(obstacle(row.large) == "");
    gemm_policy p = row.small;
    p.wave_tile.m = 48;
    CHECK(says(obstacle(p), "whole tiles"));
    p = row.small, p.block_tile.k = 4096;
    CHECK(says(obstacle(p), "shared memory"));
    p = row.large, p.block_tile = {256, 256, row.large.block_tile.k}, p.wave_tile = {256, 256};
    CHECK(says(obstacle(p), "registers"));
    p = row.small, p.pipeline = block::pipeline_kind::tma_ring;
    CHECK(says(obstacle(p), "pipeline"));
    const gemm_problem large{.m = 4096, .n = 4096, .k = 4096, .layout = gemm_layout::nt};
    const auto all = tune::gemm_candidates<Arch, f16>(large, 64, row.large, {}, 10);
    CHECK(all.size() > 2);
    CHECK(all.size() <= 10);
    for (const gemm_policy& c : all) CHECK((obstacle(c).empty() && c != row.large));
    // The user's come first, whatever the model thinks, and once.
    gemm_policy own = row.small;
    own.swizzle_rows = 3;
    const auto more = tune::gemm_candidates<Arch, f16>(large, 64, row.large, {.others = {own, own}}, 10);
    CHECK(more.front() == own);
    CHECK(std::ranges::count(more, own) == 1);
    CHECK(more.size() == all.size() + 1);
}

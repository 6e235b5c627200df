// A folder of files appears whole or not at all.
#include "../../../tools/common/whole_folder.hpp"
#include <doctest/doctest.h>
#include <fstream>
#include <set>
#include <sys/resource.h>

using fade::tools::refusal;
using fade::tools::whole_folder;
namespace fs = std::filesystem;

namespace {

/// A place of its own for each test.
struct place {
    fs::path at = fs::temp_directory_path() / ("fade-whole-folder-" + std::to_string(::getpid()));
    place() { fs::remove_all(at), fs::create_directories(at); }
    ~place() { fs::remove_all(at); }
};

std::string text_of(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

void put(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

std::set<std::string> names_in(const fs::path& folder) {
    std::set<std::string> out;
    for (const auto& file : fs::directory_iterator(folder)) out.insert(file.path().filename().string());
    return out;
}

void write(const whole_folder& to, const std::string& name, const std::string& text) {
    to.write(name, text.data(), text.size());
}

}  // namespace

TEST_CASE("a new folder is there when it is finished, and not before") {
    const place here;
    for (const char* name : {"new", "slash/", "deep/er"}) {
        const fs::path folder = here.at / name;
        {
            const whole_folder to("--to", folder, "list");
            write(to, "a", "1"), write(to, "list", "a");
            CHECK(!fs::exists(folder));
            to.finish();
            CHECK(names_in(folder) == std::set<std::string>{"a", "list"});
        }
        CHECK(text_of(folder / "a") == "1");
    }
    CHECK(names_in(here.at) == std::set<std::string>{"new", "slash", "deep"});
    CHECK(names_in(here.at / "deep") == std::set<std::string>{"er"});
}

TEST_CASE("what is not finished leaves nothing") {
    const place here;
    {
        const whole_folder to("--to", here.at / "new", "list");
        write(to, "a", "1");
    }
    CHECK(names_in(here.at).empty());
}

TEST_CASE("a folder that is there keeps its other files, and its old ones until the end") {
    const place here;
    put(here.at / "mine", "m"), put(here.at / "a", "old"), put(here.at / "list", "old");
    {
        const whole_folder to("--to", here.at, "list");
        write(to, "a", "new"), write(to, "b", "new");
        CHECK(text_of(here.at / "a") == "old");
    }
    CHECK(names_in(here.at) == std::set<std::string>{"mine", "a", "list"});
    CHECK(text_of(here.at / "list") == "old");
    const whole_folder to("--to", here.at, "list");
    write(to, "a", "new"), write(to, "b", "new"), write(to, "list", "new");
    to.finish();
    CHECK(text_of(here.at / "a") == "new");
    CHECK(text_of(here.at / "list") == "new");
    CHECK(text_of(here.at / "mine") == "m");
}

TEST_CASE("an old list names no files that half came") {
    const place here;
    put(here.at / "list", "old"),
        fs::create_directories(here.at / "a" / "full");  // a file cannot take its place
    const whole_folder to("--to", here.at, "list");
    write(to, "a", "new"), write(to, "list", "new");
    CHECK_THROWS_AS(to.finish(), refusal);
    CHECK(!fs::exists(here.at / "list"));
}

TEST_CASE("a file that cannot be written whole is refused") {
    const place here;
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit little{4096, before.rlim_max};
    std::signal(SIGXFSZ, SIG_IGN);
    {
        const whole_folder to("--to", here.at / "new", "list");
        setrlimit(RLIMIT_FSIZE, &little);
        CHECK_THROWS_AS(write(to, "a", std::string(100000, 'x')), refusal);
        setrlimit(RLIMIT_FSIZE, &before);
    }
    CHECK(names_in(here.at).empty());
}

TEST_CASE("places where nothing can be written") {
    const place here;
    put(here.at / "file", "");
    for (const fs::path& at :
         {here.at / "file", here.at / "file" / "below", fs::path("/proc/no/where"), fs::path("")})
        CHECK_THROWS_AS(whole_folder("--to", at, "list"), refusal);
    CHECK(names_in(here.at) == std::set<std::string>{"file"});
}

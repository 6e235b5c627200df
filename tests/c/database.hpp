// Databases of tuned policies through fade.h, and what finds tell, for tests.
#pragma once
#include "beside.hpp"
#include <cstdlib>
#include <filesystem>
#include <string>

namespace fade::test {

/// A database in a folder of its own.
struct database {
    std::string folder = (std::filesystem::temp_directory_path() / "fade-tuned-XXXXXX").string(), path;
    fade_tuning* c = nullptr;
    database() {
        REQUIRE(::mkdtemp(folder.data()));
        path = folder + "/tuning.db";
        auto files = made(fade_tuning_files_init);
        files.user = path.c_str();
        is_done(fade_tuning_open(&files, &c));
        CHECK(std::string(fade_tuning_refused_writes(c)).empty());
    }
    ~database() {
        fade_tuning_close(c);
        std::filesystem::remove_all(folder);
    }
};

struct found {
    fade_found* c = nullptr;
    ~found() { fade_found_close(c); }
    std::string text(int field) const { return fade_found_text(c, field); }
    fade_found_numbers numbers() const {
        fade_found_numbers out{};
        out.size = sizeof out;
        is_done(fade_found_read(c, &out));
        return out;
    }
};

}  // namespace fade::test

// What tests of compilers that a call starts have in common: a folder, a compiler of their own, refusals.
#pragma once
#include <doctest/doctest.h>
#include <fade/core/error.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fade::test {

/// A folder of a test alone, until the end of a scope.
struct scratch_folder {
    std::string path;
    scratch_folder() {
        std::string made = (std::filesystem::temp_directory_path() / "fade-test-XXXXXX").string();
        REQUIRE(::mkdtemp(made.data()));
        path = made;
    }
    scratch_folder(const scratch_folder&) = delete;
    ~scratch_folder() { std::filesystem::remove_all(path); }
    std::string file(const char* name, const std::string& text,
                     std::filesystem::perms perms = std::filesystem::perms(0700)) const {
        const std::string out = path + "/" + name;
        std::ofstream(out) << text;
        std::filesystem::permissions(out, perms);
        return out;
    }
    /// A program of the shell in the place of a compiler.
    std::string script(const std::string& text) const {
        return file("compiler", "#!/bin/sh\n" + text + "\n");
    }
    std::vector<std::string> names() const {
        std::vector<std::string> out;
        for (const auto& at : std::filesystem::directory_iterator(path))
            out.push_back(at.path().filename().string());
        return out;
    }
};

/// Where FADE's headers are.
inline std::string include_folder() {
    const auto here = std::filesystem::absolute(__FILE__).parent_path();
    return (here / "../../include").lexically_normal().string();
}
inline std::string refusal_of(const auto& call) {
    try {
        call();
    } catch (const error& e) {
        return e.what();
    }
    return "nothing was refused";
}
inline bool says(const std::string& text, const char* what) { return text.find(what) != std::string::npos; }

}  // namespace fade::test

// The headers of FADE that modules are compiled from, and what names them.
#pragma once
#include <algorithm>
#include <fade/core/error.hpp>
#include <fade/tune/module/sha256.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace FADE_NAMESPACE::tune {

/// A whole file. Throws fade::error for one that cannot be read.
inline std::string text_of_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::string out{std::istreambuf_iterator<char>(in), {}};
    if (!in) throw error("file", "'" + path.string() + "'", "it cannot be read");
    return out;
}

/// What a folder of headers holds: hashes of it.
struct module_sources {
    std::string folder;   ///< absolute: what -I names
    std::string kernels;  ///< of what becomes kernels: the fingerprint of CMake's fade::tune
    std::string all;      ///< of every header

    /// Throws fade::error for a folder that does not hold FADE's headers.
    explicit module_sources(const std::string& of) : folder(std::filesystem::absolute(of).string()) {
        const std::filesystem::path root = std::filesystem::path(folder) / "fade";
        if (!std::filesystem::is_regular_file(root / "gemm.hpp"))
            throw error("include", "'" + of + "'", "it must be the folder that holds fade/gemm.hpp");
        std::string hashes;
        for (const char* floor : {"arch", "atom", "backend", "block", "core", "epilogue", "kernel", "wave"})
            hashes += hashes_of(root / floor);
        kernels = sha256(hashes).substr(0, 16);
        all = sha256(hashes_of(root));
    }

private:
    /// In the order of their paths, as CMake lists them.
    static std::string hashes_of(const std::filesystem::path& folder) {
        std::vector<std::string> files;
        for (const auto& at : std::filesystem::recursive_directory_iterator(folder))
            if (at.is_regular_file()) files.push_back(at.path().string());
        std::ranges::sort(files);
        std::string out;
        for (const std::string& file : files) out += sha256(text_of_file(file));
        return out;
    }
};

}  // namespace FADE_NAMESPACE::tune

// A folder of files that appears whole or not at all.
#pragma once
#include "refusal.hpp"
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace fade::tools {

/// Files are written beside the folder, and come to be there together: by renaming all of them at once where
/// there was no folder, else one after the other, the file that names the others (`last`) behind the rest. A
/// writer that does not finish leaves what was there.
class whole_folder {
public:
    /// Refuses a place where nothing can be written. `option` stands before the path in sentences.
    whole_folder(std::string option, const std::filesystem::path& folder, std::string last)
        : option_(std::move(option)), folder_(without_slash(folder)), last_(std::move(last)) {
        if (folder_.empty()) refuse();
        std::error_code failure;
        const std::string aside = ".partial-" + std::to_string(::getpid());
        const bool there = std::filesystem::is_directory(folder_, failure);
        aside_ = there ? folder_ / aside : folder_.parent_path() / (folder_.filename().string() + aside);
        failure.clear();
        if (!there && std::filesystem::exists(folder_, failure)) refuse();
        std::filesystem::remove_all(aside_, failure);  // of a process of this number that was killed
        std::filesystem::create_directories(aside_, failure);
        if (failure) refuse();
    }
    whole_folder(const whole_folder&) = delete;
    ~whole_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(aside_, ignored);
    }

    void write(const std::string& name, const void* bytes, std::size_t count) const {
        std::ofstream file(aside_ / name, std::ios::binary);
        file.write(static_cast<const char*>(bytes), std::streamsize(count));
        file.close();
        if (!file) throw refusal(option_ + " cannot write " + tools::quoted((folder_ / name).string()) + ".");
    }

    /// From now on the files are there.
    void finish() const {
        std::error_code failure;
        if (!std::filesystem::exists(folder_))
            std::filesystem::rename(aside_, folder_, failure);
        else
            move_files(failure);
        if (failure) refuse();
    }

private:
    static std::filesystem::path without_slash(const std::filesystem::path& folder) {
        if (folder.empty()) return folder;
        const auto path = std::filesystem::absolute(folder).lexically_normal();
        return path.has_filename() ? path : path.parent_path();
    }

    [[noreturn]] void refuse() const {
        throw refusal(option_ + " is " + tools::quoted(folder_.string()) +
                      ", but that is no folder that can be written to.");
    }

    /// Nobody finds files of two captures under one list of names: the old list goes first, the new one comes
    /// last.
    void move_files(std::error_code& failure) const {
        std::filesystem::remove(folder_ / last_, failure);
        for (const auto& file : std::filesystem::directory_iterator(aside_))
            if (!failure && file.path().filename() != last_)
                std::filesystem::rename(file.path(), folder_ / file.path().filename(), failure);
        if (!failure) std::filesystem::rename(aside_ / last_, folder_ / last_, failure);
    }

    std::string option_;
    std::filesystem::path folder_, aside_;
    std::string last_;
};

}  // namespace fade::tools

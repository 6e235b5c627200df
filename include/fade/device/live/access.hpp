// May this process open the device? The errno is kept: each has its own cause.
#pragma once
#include <cerrno>
#include <fade/device/truth/readings.hpp>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace FADE_NAMESPACE::live {

inline std::string errno_name(int code) {
    switch (code) {
    case ENOENT:
        return "ENOENT";
    case EACCES:
        return "EACCES";
    case EPERM:
        return "EPERM";
    case ENOMEM:
        return "ENOMEM";
    case EINVAL:
        return "EINVAL";
    case ENODEV:
        return "ENODEV";
    case ENXIO:
        return "ENXIO";
    case EBUSY:
        return "EBUSY";
    case EIO:
        return "EIO";
    case EMFILE:
        return "EMFILE";
    default:
        return "errno " + std::to_string(code);
    }
}

/// Opens for reading and writing, as the runtime does, and closes at once; the errno's name, or nothing.
inline truth::word refusal_of(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) return errno_name(errno);
    ::close(fd);
    return {};
}

inline truth::state_reading read_access(const truth::number& render_minor) {
    truth::state_reading s;
    s.kfd_present = ::access("/dev/kfd", F_OK) == 0;
    s.dxg_present = ::access("/dev/dxg", F_OK) == 0;
    if (*s.kfd_present) s.kfd_errno = refusal_of("/dev/kfd");
    if (render_minor && *render_minor >= 128)
        s.render_errno = refusal_of("/dev/dri/renderD" + std::to_string(*render_minor));
    return s;
}

}  // namespace FADE_NAMESPACE::live

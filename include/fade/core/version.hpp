// The version of FADE: that of its CMake and Conan packages.
#pragma once

#define FADE_VERSION_MAJOR 0
#define FADE_VERSION_MINOR 1
#define FADE_VERSION_PATCH 0
#define FADE_VERSION "0.1.0"
#define FADE_VERSION_NUMBER (FADE_VERSION_MAJOR * 10000 + FADE_VERSION_MINOR * 100 + FADE_VERSION_PATCH)

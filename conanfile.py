import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import supported_cppstd
from conan.tools.files import copy, load
from conan.tools.system.package_manager import Apt, Dnf


class Fade(ConanFile):
    name = "fade"
    license = "MIT", "BSD-3-Clause"  # the second: names of boards, see NOTICE
    description = "Header-only tiled GEMM, attention and convolution kernels for AMD, NVIDIA and CPU"
    topics = ("gemm", "attention", "convolution", "hip", "cuda", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "hip_primitives": [True, False],          # <fade/primitives.hpp> in HIP sources, whose kernels are rocPRIM's
        "tune": [True, False],                    # <fade/tune.hpp>, which wants SQLite
    }
    default_options = {"hip_primitives": False, "tune": False}
    exports = "CMakeLists.txt"                    # holds the version
    exports_sources = "include/*", "cmake/FadeHip.cmake", "cmake/FadeConan.cmake", "cmake/hip/*", "LICENSE"
    no_copy_source = True

    def set_version(self):
        text = load(self, f"{self.recipe_folder}/CMakeLists.txt")
        self.version = re.search(r"project\(fade VERSION ([\d.]+)", text).group(1)

    def validate(self):
        # The standard of the profile may be older, as a detected one's is: cmake/FadeConan.cmake raises it.
        known = supported_cppstd(self)
        if known is not None and "20" not in known:
            raise ConanInvalidConfiguration(f"fade needs C++20, which {self.settings.compiler} {self.settings.compiler.version} has not")

    def system_requirements(self):
        # No recipe has rocPRIM: it comes with ROCm, or from the distribution.
        if self.options.hip_primitives:
            Apt(self).install(["librocprim-dev"], check=True)
            Dnf(self).install(["rocprim-devel"], check=True)
        if self.options.tune:
            Apt(self).install(["libsqlite3-dev"], check=True)
            Dnf(self).install(["sqlite-devel"], check=True)

    def package_id(self):
        self.info.clear()

    def package(self):
        copy(self, "LICENSE", self.source_folder, f"{self.package_folder}/licenses")
        copy(self, "NOTICE", f"{self.source_folder}/include/fade/device/truth", f"{self.package_folder}/licenses")
        copy(self, "*", f"{self.source_folder}/include", f"{self.package_folder}/include")
        copy(self, "*", f"{self.source_folder}/cmake", f"{self.package_folder}/cmake")

    def package_info(self):
        self.cpp_info.bindirs = self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "fade")
        self.cpp_info.set_property("cmake_target_name", "fade::fade")
        self.cpp_info.set_property("pkg_config_name", "fade")
        # fade_add_hip_executable comes with find_package(fade), as in an installed FADE.
        self.cpp_info.set_property("cmake_build_modules", ["cmake/FadeHip.cmake", "cmake/FadeConan.cmake"])
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread"] + (["sqlite3"] if self.options.tune else [])

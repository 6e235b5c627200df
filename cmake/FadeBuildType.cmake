# Says that a project without a build type is compiled without optimisation, which no other line of CMake does.
get_property(fade_many_types GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT CMAKE_BUILD_TYPE AND NOT fade_many_types AND NOT "${CMAKE_CXX_FLAGS}" MATCHES "-O")
  message(NOTICE "FADE: no CMAKE_BUILD_TYPE is set, so the compiler does not optimise, and kernels on the CPU are "
    "twenty times slower; configure with -DCMAKE_BUILD_TYPE=Release.")
endif()

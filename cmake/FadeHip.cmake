# HIP programs with CMake, on real ROCm and on a distribution whose HIP is older than its clang:
#
#   fade_add_hip_executable(NAME SOURCE... [ARCHS gfx942 gfx1100 ...] [DEFINITIONS N=V ...] [OPTIONS -flag ...])
#   fade_hip_sources(TARGET SOURCE... [ARCHS ...] [DEFINITIONS ...] [OPTIONS ...] [SUFFIX word])
#   fade_hip_check(NAME SOURCE ARCH arch [DEFINITIONS ...] [OPTIONS ...])
#   fade_hip_knows(RESULT arch)
#   fade_find_hip()
#
# The first makes a program of HIP sources. The second adds HIP sources to a target of the same folder, once per
# SUFFIX. They are compiled as C++ sources of that target are, with its options, definitions, folders and libraries, the
# flags of its build type, and a line in compile_commands.json; but by a clang of their own, so a target that mixes them
# with sources of another compiler must not pass 16-bit floating-point types between them. Code for GPUs is optimised in
# every build type, since kernels without optimisation do not fit their registers (`-Xarch_device -O0` among OPTIONS says
# otherwise), and is not compressed, so that tools can read it.
# The third is a target that only compiles the device code; the fourth says whether the compiler knows an architecture;
# the last makes the target fade_hip_runtime, HIP's headers and library, for plain C++ sources.
#
# CMake's own HIP language is not used: it does not find the HIP of Debian and Ubuntu. To choose by hand, set
# FADE_HIP_COMPILER (a clang++), FADE_HIP_INCLUDE (the folder that holds hip/), FADE_HIP_LIBRARY (libamdhip64.so) and
# FADE_ROCPRIM_INCLUDE (the folder that holds rocprim/, which HIP sources need that include <fade/primitives.hpp>).
include_guard(GLOBAL)
set(FADE_HIP_DEFAULT_ARCHS gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030 gfx1100 gfx1151 gfx1200 gfx1201 CACHE INTERNAL "")
set_property(GLOBAL PROPERTY FADE_HIP_DIR ${CMAKE_CURRENT_LIST_DIR})

# FADE_HIP_COMPILER: the project's own compiler where it is a clang, else ROCm's, else the newest in PATH.
function(fade_find_hip_compiler)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT FADE_HIP_COMPILER)
    set(FADE_HIP_COMPILER ${CMAKE_CXX_COMPILER} CACHE FILEPATH "clang++ that compiles HIP sources")
  endif()
  find_program(FADE_HIP_COMPILER clang++ DOC "clang++ that compiles HIP sources" NO_DEFAULT_PATH
    HINTS $ENV{HIP_CLANG_PATH} $ENV{ROCM_PATH} /opt/rocm PATH_SUFFIXES llvm/bin lib/llvm/bin)
  find_program(FADE_HIP_COMPILER NAMES
    clang++-22 clang++-21 clang++-20 clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++ amdclang++)
  if(NOT FADE_HIP_COMPILER)
    message(FATAL_ERROR "FADE: no clang++ for HIP sources was found; install ROCm or clang, or set FADE_HIP_COMPILER.")
  endif()
endfunction()

# Does the compiler take these options (for an AMD target)?
function(_fade_hip_takes result)
  execute_process(COMMAND ${FADE_HIP_COMPILER} --target=amdgcn-amd-amdhsa -nogpulib -fsyntax-only -x c /dev/null ${ARGN}
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  string(COMPARE EQUAL "${failed}" 0 takes)
  set(${result} ${takes} PARENT_SCOPE)
endfunction()

function(fade_hip_knows result arch)
  fade_find_hip_compiler()
  _fade_hip_takes(knows -mcpu=${arch})
  set(${result} ${knows} PARENT_SCOPE)
endfunction()

# Finds compiler, headers and runtime, once; makes the target fade_hip_runtime and the list of flags.
function(fade_find_hip)
  if(TARGET fade_hip_runtime)
    return()
  endif()
  fade_find_hip_compiler()
  find_path(FADE_HIP_INCLUDE hip/hip_runtime_api.h HINTS $ENV{ROCM_PATH} /opt/rocm PATH_SUFFIXES include)
  find_library(FADE_HIP_LIBRARY amdhip64 HINTS $ENV{ROCM_PATH} /opt/rocm PATH_SUFFIXES lib lib64)
  if(NOT FADE_HIP_INCLUDE OR NOT FADE_HIP_LIBRARY)
    message(FATAL_ERROR "FADE: HIP was not found (hip/hip_runtime_api.h and libamdhip64); install ROCm or libamdhip64-dev.")
  endif()
  get_filename_component(root ${FADE_HIP_INCLUDE} DIRECTORY)
  set(flags -x hip --rocm-path=${root} -D__HIP_PLATFORM_AMD__=1)
  _fade_hip_takes(compresses --no-offload-compress)
  if(compresses)
    list(APPEND flags --no-offload-compress)
  endif()
  if(root STREQUAL "/usr")                       # a distribution's HIP; ROCm's own needs nothing more
    _fade_hip_distribution_flags(more)
    list(APPEND flags ${more})
  endif()
  set_property(GLOBAL PROPERTY FADE_HIP_FLAGS ${flags})
  add_library(fade_hip_runtime INTERFACE IMPORTED GLOBAL)
  target_include_directories(fade_hip_runtime SYSTEM INTERFACE ${FADE_HIP_INCLUDE})
  target_compile_definitions(fade_hip_runtime INTERFACE __HIP_PLATFORM_AMD__=1)
  target_link_libraries(fade_hip_runtime INTERFACE ${FADE_HIP_LIBRARY})
  message(STATUS "FADE: HIP sources by ${FADE_HIP_COMPILER}, HIP in ${root}")
  find_path(FADE_ROCPRIM_INCLUDE rocprim/rocprim.hpp HINTS ${FADE_HIP_INCLUDE} $ENV{ROCM_PATH} /opt/rocm PATH_SUFFIXES include)
  if(FADE_ROCPRIM_INCLUDE)
    target_include_directories(fade_hip_runtime SYSTEM INTERFACE ${FADE_ROCPRIM_INCLUDE})
  else()
    message(STATUS "FADE: rocPRIM was not found; HIP sources can include all of FADE but <fade/primitives.hpp>")
  endif()
endfunction()

# A distribution's device libraries lag behind its compilers. They get a folder of links, to which
# _fade_hip_add_isa adds what a newer target lacks.
function(_fade_hip_distribution_flags result)
  file(GLOB at /usr/lib/*/amdgcn/bitcode /usr/lib/amdgcn/bitcode /usr/amdgcn/bitcode)
  if(NOT at)
    message(FATAL_ERROR "FADE: HIP's device libraries were not found; install rocm-device-libs.")
  endif()
  list(GET at 0 at)
  set(folder ${CMAKE_BINARY_DIR}/fade_hip/bitcode)
  file(MAKE_DIRECTORY ${folder})
  file(GLOB files ${at}/*.bc)
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME)
    if(NOT EXISTS ${folder}/${name})
      file(CREATE_LINK ${file} ${folder}/${name} SYMBOLIC)
    endif()
  endforeach()
  set(flags --rocm-device-lib-path=${folder})
  _fade_hip_takes(warns -Werror=unknown-warning-option -Wno-linker-warnings)
  if(warns)                                      # the bitcode was made for an older data layout
    list(APPEND flags -Wno-linker-warnings)
  endif()
  _fade_hip_takes(knows_6 -mcode-object-version=6)
  if(knows_6 AND NOT EXISTS ${folder}/oclc_abi_version_600.bc)
    list(APPEND flags -mcode-object-version=5)   # clang 20 and newer would take 6
  endif()
  if(EXISTS ${folder}/hip.bc)                    # libraries that clang 20 and newer no longer link by themselves
    foreach(name IN ITEMS hip.bc oclc_daz_opt_off.bc)
      list(APPEND flags -Xclang -mlink-builtin-bitcode -Xclang ${folder}/${name})
    endforeach()
  endif()
  get_property(here GLOBAL PROPERTY FADE_HIP_DIR)
  list(APPEND flags -include ${here}/hip/old_hip_headers.hpp)
  set_property(GLOBAL PROPERTY FADE_HIP_BITCODE ${folder})
  set(${result} ${flags} PARENT_SCOPE)
endfunction()

# The one constant per target that the device libraries need: gfx90a is 9010, gfx1151 is 11501.
function(_fade_hip_add_isa arch)
  get_property(folder GLOBAL PROPERTY FADE_HIP_BITCODE)
  string(REGEX MATCH "^gfx([0-9]+)([0-9a-f])([0-9a-f])$" known ${arch})
  set(file ${folder}/oclc_isa_version_${CMAKE_MATCH_1}${CMAKE_MATCH_2}${CMAKE_MATCH_3})
  if(NOT folder OR NOT known OR EXISTS ${file}.bc)
    return()
  endif()
  math(EXPR number "${CMAKE_MATCH_1} * 1000 + 0x${CMAKE_MATCH_2} * 100 + 0x${CMAKE_MATCH_3}")
  file(WRITE ${file}.ll "target triple = \"amdgcn-amd-amdhsa\"\n"
    "@__oclc_ISA_version = linkonce_odr hidden local_unnamed_addr addrspace(4) constant i32 ${number}, align 4\n")
  execute_process(COMMAND ${FADE_HIP_COMPILER} --target=amdgcn-amd-amdhsa -nogpulib -Wno-override-module
    -x ir -c -emit-llvm ${file}.ll -o ${file}.bc COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# What a source needs before its own options to be compiled for these architectures.
function(_fade_hip_flags result archs)
  fade_find_hip()
  get_property(flags GLOBAL PROPERTY FADE_HIP_FLAGS)
  foreach(arch IN LISTS archs)
    _fade_hip_add_isa(${arch})
    list(APPEND flags --offload-arch=${arch})
  endforeach()
  set(${result} ${flags} PARENT_SCOPE)
endfunction()

# The clang of HIP sources stands where another compiler compiles C++: a launcher that takes its place.
function(_fade_hip_compile_by_clang target)
  if(CMAKE_CXX_COMPILER STREQUAL FADE_HIP_COMPILER)
    return()
  endif()
  set(launcher ${CMAKE_BINARY_DIR}/fade_hip/compile)
  list(JOIN CMAKE_CXX_COMPILER_LAUNCHER "' '" cache)
  if(cache)
    string(PREPEND cache "'")
    string(APPEND cache "' ")
  endif()
  file(CONFIGURE OUTPUT ${launcher} CONTENT "#!/bin/sh\nshift\nexec @cache@'@FADE_HIP_COMPILER@' \"$@\"\n" @ONLY)
  file(CHMOD ${launcher} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER ${launcher})
endfunction()

# The architectures that a target's code is made for where nobody says.
function(_fade_hip_default_archs result target)
  foreach(arch IN LISTS FADE_HIP_DEFAULT_ARCHS)
    fade_hip_knows(knows ${arch})
    if(knows)
      list(APPEND archs ${arch})
    endif()
  endforeach()
  message(STATUS "FADE: ${target} gets code for ${archs}")
  set(${result} ${archs} PARENT_SCOPE)
endfunction()

function(fade_hip_sources target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SUFFIX" "ARCHS;DEFINITIONS;OPTIONS")
  if(NOT DEFINED arg_ARCHS)
    _fade_hip_default_archs(arg_ARCHS ${target})
  endif()
  string(JOIN "-" name ${target} hip ${arg_SUFFIX})
  set(objects ${name})
  while(TARGET ${objects})                       # more sources of the same target
    string(APPEND more "+")
    set(objects ${name}${more})
  endwhile()
  add_library(${objects} OBJECT ${arg_UNPARSED_ARGUMENTS})
  set_source_files_properties(${arg_UNPARSED_ARGUMENTS} PROPERTIES LANGUAGE CXX)
  _fade_hip_flags(flags "${arg_ARCHS}")
  list(TRANSFORM flags REPLACE "^(.* .*)$" "'\\1'")
  list(JOIN flags " " flags)                     # in one piece: words that stand twice must stay
  target_compile_options(${objects} PRIVATE
    "SHELL:${flags} -Xarch_device -O3" $<TARGET_PROPERTY:${target},COMPILE_OPTIONS> ${arg_OPTIONS})
  target_compile_definitions(${objects} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS> ${arg_DEFINITIONS})
  target_include_directories(${objects} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  target_link_libraries(${objects} PRIVATE fade_hip_runtime $<TARGET_PROPERTY:${target},LINK_LIBRARIES>)
  target_compile_features(${objects} PRIVATE cxx_std_20)
  set_target_properties(${objects} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
    INTERPROCEDURAL_OPTIMIZATION OFF UNITY_BUILD OFF CXX_SCAN_FOR_MODULES OFF)
  _fade_hip_compile_by_clang(${objects})
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  target_link_libraries(${target} PRIVATE fade_hip_runtime)
endfunction()

function(fade_add_hip_executable name)
  add_executable(${name})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  if(TARGET fade::fade)
    target_link_libraries(${name} PRIVATE fade::fade)
  endif()
  fade_hip_sources(${name} ${ARGN})
endfunction()

function(fade_hip_check name source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "ARCH" "DEFINITIONS;OPTIONS")
  list(TRANSFORM arg_DEFINITIONS PREPEND -D)
  get_filename_component(source ${source} ABSOLUTE)
  _fade_hip_flags(flags ${arg_ARCH})
  set(folders $<TARGET_PROPERTY:fade::fade,INTERFACE_INCLUDE_DIRECTORIES>)
  add_custom_target(${name} COMMAND ${FADE_HIP_COMPILER} ${flags} -std=c++20 -O3 -fPIC
    -I$<JOIN:${folders},$<SEMICOLON>-I> ${arg_DEFINITIONS} ${arg_OPTIONS} -c ${source} --cuda-device-only -o ${name}.o
    COMMENT "Compiling for ${arg_ARCH} only" COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

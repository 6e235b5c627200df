# The libraries that `fade-bench --vs` measures against. Each that is found gets a library of its own beside fade-bench, which
# loads it for --vs alone: some start their threads when they are loaded.

# fade_add_peer(name library...): the sources bench/peers/NAME_*.cpp as libfade-bench-NAME.so.
function(fade_add_peer name)
  file(GLOB sources CONFIGURE_DEPENDS bench/peers/${name}_*.cpp)
  add_library(fade-bench-${name} MODULE ${sources})
  set_target_properties(fade-bench-${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  target_link_libraries(fade-bench-${name} PRIVATE fade-tools ${ARGN})
  add_dependencies(fade-bench fade-bench-${name})
  string(TOUPPER ${name} word)
  target_compile_definitions(fade-bench PRIVATE FADE_PEER_${word}=1)
endfunction()

find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(openblas IMPORTED_TARGET openblas)
  if(openblas_FOUND)
    fade_add_peer(openblas PkgConfig::openblas)
  endif()
endif()
# Not by its CMake package: Debian's asks for OpenCL, which the CPU library does not need.
find_path(FADE_ONEDNN_INCLUDE dnnl.hpp)
find_library(FADE_ONEDNN_LIBRARY dnnl)
if(FADE_ONEDNN_INCLUDE AND FADE_ONEDNN_LIBRARY)
  fade_add_peer(onednn ${FADE_ONEDNN_LIBRARY})
  target_include_directories(fade-bench-onednn SYSTEM PRIVATE ${FADE_ONEDNN_INCLUDE})
endif()
if(TARGET CUDA::cublas)
  fade_add_peer(cublas CUDA::cublas)
endif()
if(TARGET CUDA::cublasLt)
  fade_add_peer(cublaslt CUDA::cublasLt CUDA::cublas)
endif()

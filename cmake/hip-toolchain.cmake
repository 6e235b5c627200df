# The hip preset's compiler: the clang that FadeHip.cmake takes for device code compiles everything else too, so that
# 16-bit floating-point types mean the same in all objects of a program.
include(${CMAKE_CURRENT_LIST_DIR}/FadeHip.cmake)
if(NOT CMAKE_CXX_COMPILER)
  fade_find_hip_compiler()
  set(CMAKE_CXX_COMPILER ${FADE_HIP_COMPILER})
endif()

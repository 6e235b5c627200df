# A program that HIP's device pass must refuse for some architectures, each with the text of its first line (see
# must_not_compile.cmake) before any other error, and must take for others:
#   // refused for: gfx942 ...
#   // taken for: gfx950 ...
file(READ ${SOURCE} program)
if(NOT program MATCHES "\n// refused for: *([^\n]+)\n// taken for: *([^\n]+)")
  message(FATAL_ERROR "${SOURCE} does not say what it is refused and taken for")
endif()
string(REPLACE " " ";" refused "${CMAKE_MATCH_1}")
string(REPLACE " " ";" taken "${CMAKE_MATCH_2}")
# No code is made, so no device library is needed.
set(pass -x hip --rocm-path=${ROCM} -D__HIP_PLATFORM_AMD__=1 -nogpulib --cuda-device-only -include ${OLD_HEADERS})
set(FIRST ON)
foreach(arch IN LISTS refused)
  set(OPTIONS ${pass} --offload-arch=${arch})
  include(${CMAKE_CURRENT_LIST_DIR}/must_not_compile.cmake)
endforeach()
foreach(arch IN LISTS taken)
  execute_process(COMMAND ${COMPILER} ${pass} --offload-arch=${arch} -std=c++20 -fsyntax-only -I${INCLUDE} ${SOURCE}
    RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(failed)
    message(FATAL_ERROR "${SOURCE} does not compile for ${arch}, where it must:\n${said}")
  endif()
endforeach()

# The head of a build of HIP programs that stands beside the checkout's own: FADE's headers with those of tests, and the
# functions of cmake/FadeHip.cmake. `root` is the checkout.
get_filename_component(root ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
include(${root}/cmake/FadeHip.cmake)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_package(Threads REQUIRED)
add_library(fade INTERFACE)
add_library(fade::fade ALIAS fade)
target_include_directories(fade INTERFACE ${root}/include ${root}/tests)
target_link_libraries(fade INTERFACE Threads::Threads ${CMAKE_DL_LIBS})

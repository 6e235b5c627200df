# What `cmake --install` puts down: headers, find_package(fade) and pkg-config fade. Nothing in it depends on the
# machine, so all of it goes to include/ and share/, and the folder may be moved afterwards.
include(CMakePackageConfigHelpers)
set(at ${CMAKE_INSTALL_DATADIR}/cmake/fade)

install(TARGETS fade EXPORT fade)
install(EXPORT fade NAMESPACE fade:: FILE fadeTargets.cmake DESTINATION ${at})
if(TARGET fade_tune)
  install(TARGETS fade_tune EXPORT fade_tune)
  install(EXPORT fade_tune NAMESPACE fade:: FILE fadeTuneTargets.cmake DESTINATION ${at})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/fadeConfig.cmake.in ${PROJECT_BINARY_DIR}/fadeConfig.cmake
  INSTALL_DESTINATION ${at} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/fadeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/fadeConfig.cmake ${PROJECT_BINARY_DIR}/fadeConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FadeHip.cmake ${CMAKE_CURRENT_LIST_DIR}/FadeBuildType.cmake DESTINATION ${at})
install(DIRECTORY ${CMAKE_CURRENT_LIST_DIR}/hip DESTINATION ${at})

# The prefix is often chosen only at install time, so fade.pc finds it from its own place.
file(RELATIVE_PATH FADE_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_DATADIR}/pkgconfig /prefix)
configure_file(${CMAKE_CURRENT_LIST_DIR}/fade.pc.in ${PROJECT_BINARY_DIR}/fade.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/fade.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/include/fade/device/truth/NOTICE DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/fade)

# SPDX-License-Identifier: Apache-2.0
# The portable bundle: what `cmake --build --preset portable --target install` puts into one folder; see resources/docs/portable.md.
option(FUSELAB_PORTABLE "Install one folder that runs on any x86-64 Linux with glibc 2.36 or newer" OFF)
if(NOT FUSELAB_PORTABLE)
  return()
endif()

# DT_RPATH, not DT_RUNPATH: what the bundled libraries need is found beside them, too.
foreach(program fuselab fuselab-worker)
  set_target_properties(${program} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib" BUILD_WITH_INSTALL_RPATH ON)
  target_link_options(${program} PRIVATE -s -Wl,--disable-new-dtags)
  install(TARGETS ${program} RUNTIME DESTINATION bin)
endforeach()

# Kernels for machines without a C compiler.
set(shelf ${CMAKE_BINARY_DIR}/kernels/cpu)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/kernels/stamp
  COMMAND ${CMAKE_COMMAND} -DFUSELAB=$<TARGET_FILE:fuselab> -DLIST=${CMAKE_SOURCE_DIR}/resources/kernels/shipped.txt -DFOLDER=${shelf}
          -P ${CMAKE_SOURCE_DIR}/resources/cmake/ship_kernels.cmake
  COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/kernels/stamp
  DEPENDS fuselab fuselab-worker ${CMAKE_SOURCE_DIR}/resources/kernels/shipped.txt ${CMAKE_SOURCE_DIR}/resources/cmake/ship_kernels.cmake
  COMMENT "Compiling the kernels that the bundle carries" VERBATIM)
add_custom_target(shipped_kernels ALL DEPENDS ${CMAKE_BINARY_DIR}/kernels/stamp)
install(DIRECTORY ${shelf} DESTINATION share/fuselab/kernels)

# Primitives of GPUs with what the SIMT executor made of them, which a device is held against first of all.
if(NOT FUSELAB_TESTS)
  add_subdirectory(tests/device/primitives)
endif()
if(TARGET fuselab-primitives)
  set_target_properties(fuselab-primitives PROPERTIES INSTALL_RPATH "$ORIGIN/../lib" BUILD_WITH_INSTALL_RPATH ON)
  target_link_options(fuselab-primitives PRIVATE -s -Wl,--disable-new-dtags)
  install(TARGETS fuselab-primitives RUNTIME DESTINATION bin)
  set(cases ${CMAKE_BINARY_DIR}/kernels/primitives)
  add_custom_command(OUTPUT ${cases}/order.txt
    COMMAND fuselab-primitives make ${cases}-hip ${CMAKE_SOURCE_DIR}/tests/device/primitives/texts hip
    COMMAND fuselab-primitives make ${cases} ${CMAKE_SOURCE_DIR}/tests/device/primitives/texts
    DEPENDS fuselab-primitives COMMENT "Running the primitives that the bundle carries on the SIMT executor" VERBATIM)
  add_custom_target(primitive_cases ALL DEPENDS ${cases}/order.txt)
  install(DIRECTORY ${cases} ${cases}-hip DESTINATION share/fuselab)
endif()

install(DIRECTORY resources/kernels/ DESTINATION share/fuselab/preludes PATTERN shipped.txt EXCLUDE)
install(DIRECTORY resources/schema DESTINATION share/fuselab)
install(FILES LICENSE DESTINATION .)
install(FILES resources/docs/portable.md DESTINATION . RENAME README.md)
install(PROGRAMS tests/device/run_all.sh DESTINATION .)
install(FILES tests/device/run_all_parts.sh tests/device/run_all_profiles.sh tests/device/run_all_summary.sh tests/device/torch_compare.py DESTINATION share/fuselab/device)
install(CODE "set(FUSELAB_VERSION ${PROJECT_VERSION})")
install(SCRIPT resources/cmake/finish_bundle.cmake)

# SPDX-License-Identifier: Apache-2.0
# How every target of the project is made: one warning level, one include root, explicit sources.

# What another checkout has compiled is not compiled again. Without precompiled headers: ccache knows a source that names its checkout
# (CMake's joined ones do) by its preprocessed text, where a header's comments and macros are gone; a precompiled header found that way
# may be of another text, and its `#pragma once` no longer holds.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=time_macros ${CCACHE_PROGRAM})
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

add_library(fuselab_options INTERFACE)
target_include_directories(fuselab_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(fuselab_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
# The same sources give the same bytes wherever they lie: a self-test's record goes on with the same program only.
target_compile_options(fuselab_options INTERFACE -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(fuselab_options INTERFACE -Wno-restrict)  # false alarms on std::string concatenation: GCC bug 105329
endif()
if(FUSELAB_WERROR)
  target_compile_options(fuselab_options INTERFACE -Werror)
endif()
if(FUSELAB_SANITIZE)
  target_compile_options(fuselab_options INTERFACE -fsanitize=${FUSELAB_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(fuselab_options INTERFACE -fsanitize=${FUSELAB_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # A vendor's opaque types are declared here under other names, so that the types of its functions are not the very same.
    target_compile_options(fuselab_options INTERFACE -fno-sanitize=function)
  endif()
endif()

# fuselab_library(core_graph SOURCES a.cpp … DEPENDS fuselab::core_base …): static library fuselab_core_graph, alias fuselab::core_graph.
function(fuselab_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  add_library(fuselab_${name} STATIC ${ARG_SOURCES})
  add_library(fuselab::${name} ALIAS fuselab_${name})
  target_link_libraries(fuselab_${name} PUBLIC fuselab_options ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE_DEPENDS})
endfunction()

# Properties of tests whose worker processes time kernels or compile them: beside each other they would only wait for the locks on this
# machine's processors. They run one after the other, from the beginning, and the tests without workers beside them.
set(FUSELAB_ONE_AT_A_TIME RESOURCE_LOCK workers COST 1000)

# fuselab_test(core_graph KIND unit SOURCES x_test.cpp … DEPENDS …): one GoogleTest program; ctest names "<kind>.<Suite>.<Test>".
function(fuselab_test name)
  cmake_parse_arguments(ARG "" "KIND;TIMEOUT" "SOURCES;DEPENDS;ENVIRONMENT" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  find_package(GTest REQUIRED)
  include(GoogleTest)
  set(target ${ARG_KIND}_${name}_tests)
  if(NOT TARGET ${ARG_KIND}_tests)
    add_custom_target(${ARG_KIND}_tests)
  endif()
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE ${ARG_DEPENDS} GTest::gmock GTest::gtest_main fuselab_options)
  # None is timed. Those that compute little themselves compile faster without any optimisation.
  set(level -O1)
  if(ARG_KIND MATCHES "^(unit|gui|faults)$")
    set(level -O0)
  endif()
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
  add_dependencies(${ARG_KIND}_tests ${target})
  if(ARG_KIND STREQUAL "faults")
    set(scheduling ${FUSELAB_ONE_AT_A_TIME})
  endif()
  gtest_discover_tests(${target} NO_PRETTY_VALUES TEST_PREFIX "${ARG_KIND}." DISCOVERY_MODE PRE_TEST
    PROPERTIES LABELS ${ARG_KIND} TIMEOUT ${ARG_TIMEOUT} ${scheduling} ENVIRONMENT "${ARG_ENVIRONMENT}")
endfunction()

# fuselab_program(fuselab-worker SOURCES … DEPENDS …): an executable in bin/, part of the target `programs`.
add_custom_target(programs)
function(fuselab_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE fuselab_options ${ARG_DEPENDS})
  add_dependencies(programs ${name})
endfunction()

# fuselab_embed(target NAMESPACE fuselab::x HEADER x/embedded.h FILES …): the files' text as
# `std::span<const EmbeddedFile> NAMESPACE::embedded_files()`, generated in the build tree (include "embedded/<HEADER>").
function(fuselab_embed target)
  cmake_parse_arguments(ARG "" "NAMESPACE;HEADER" "FILES" ${ARGN})
  set(header ${CMAKE_BINARY_DIR}/generated/embedded/${ARG_HEADER})
  set(files "")
  foreach(file ${ARG_FILES})
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_SOURCE_DIR} NORMALIZE)
    list(APPEND files ${file})
  endforeach()
  string(REPLACE ";" "|" joined "${files}")
  add_custom_command(OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -DHEADER=${header} -DNAMESPACE=${ARG_NAMESPACE} "-DFILES=${joined}"
            -P ${CMAKE_SOURCE_DIR}/resources/cmake/embed.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/resources/cmake/embed.cmake VERBATIM)
  target_sources(${target} PRIVATE ${header})
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated)
endfunction()

# fuselab_digest(target CONSTANT fuselab::x::kName HEADER x/name.h FILES …): a SHA-256 of the files' names and contents as a
# std::string_view, made anew only when one of them changes (include "embedded/<HEADER>").
function(fuselab_digest target)
  cmake_parse_arguments(ARG "" "CONSTANT;HEADER" "FILES" ${ARGN})
  set(header ${CMAKE_BINARY_DIR}/generated/embedded/${ARG_HEADER})
  set(files "")
  foreach(file ${ARG_FILES})
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_SOURCE_DIR} NORMALIZE)
    list(APPEND files ${file})
  endforeach()
  list(SORT files)
  string(REPLACE ";" "|" joined "${files}")
  add_custom_command(OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -DHEADER=${header} -DCONSTANT=${ARG_CONSTANT} -DROOT=${CMAKE_SOURCE_DIR} "-DFILES=${joined}"
            -P ${CMAKE_SOURCE_DIR}/resources/cmake/digest.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/resources/cmake/digest.cmake VERBATIM)
  target_sources(${target} PRIVATE ${header})
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated)
endfunction()

# fuselab_subfolders([name]): every folder beside this file that has a CMakeLists.txt. With a name, fuselab::<name> is all of their
# targets, each called after its path: app/gate/check is fuselab::gate_check.
function(fuselab_subfolders)
  file(GLOB lists CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  set(folders "")
  foreach(list ${lists})
    cmake_path(GET list PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    add_subdirectory(${folder})
    list(APPEND folders ${folder})
  endforeach()
  if(ARGC GREATER 0)
    add_library(fuselab_${ARGV0} INTERFACE)
    add_library(fuselab::${ARGV0} ALIAS fuselab_${ARGV0})
    list(TRANSFORM folders PREPEND fuselab::${ARGV0}_)
    target_link_libraries(fuselab_${ARGV0} INTERFACE ${folders})
  endif()
endfunction()

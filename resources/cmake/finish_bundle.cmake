# SPDX-License-Identifier: Apache-2.0
# Run by `install` on the bundle: its shared libraries, completions, the notice about what is not ours; then its size.
set(bundle ${CMAKE_INSTALL_PREFIX})
set(most_bytes 41943040)  # 40 MiB

# What belongs to glibc comes with the system: it must fit the system's loader and kernel.
set(glibc "^(ld-linux.*|libc|libm|libdl|librt|libpthread|libresolv|libutil|libanl|libmvec|libnss_.*)\\.so")
# What an earlier install put there would be taken for the system's own.
file(REMOVE_RECURSE ${bundle}/lib ${bundle}/licences)
file(GLOB programs ${bundle}/bin/fuselab*)
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${programs}
  RESOLVED_DEPENDENCIES_VAR libraries UNRESOLVED_DEPENDENCIES_VAR missing
  PRE_EXCLUDE_REGEXES ${glibc})
if(missing)
  message(FATAL_ERROR "These libraries are not on this machine, so the bundle would lack them: ${missing}")
endif()
file(MAKE_DIRECTORY ${bundle}/lib ${bundle}/licences)
if(NOT libraries)
  message(FATAL_ERROR "the programs need no library? Then what file(GET_RUNTIME_DEPENDENCIES) saw is wrong")
endif()
set(packages libcli11-dev nlohmann-json3-dev libsqlitecpp-dev)  # compiled into the programs
set(notice "Fuselab ${FUSELAB_VERSION} is licensed under Apache-2.0 (LICENSE). This folder also holds work of others, each under the licence that
licences/PACKAGE.txt repeats.

In lib/, unchanged from Debian's packages:\n")
foreach(library ${libraries})
  get_filename_component(name ${library} NAME)
  file(REAL_PATH ${library} file)
  file(COPY_FILE ${file} ${bundle}/lib/${name})
  # Debian's list has the folder that the package was made for: /lib, where that is a link into /usr now.
  string(REGEX REPLACE "^/usr" "" before_merge ${file})
  execute_process(COMMAND dpkg-query -S ${file} ${before_merge} OUTPUT_VARIABLE owner ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX REPLACE ":.*" "" package "${owner}")
  if(NOT package)
    message(FATAL_ERROR "${file} belongs to no Debian package: its licence is not known, so it cannot be passed on")
  endif()
  execute_process(COMMAND dpkg-query -W -f "\${source:Package} \${source:Version}" ${package} OUTPUT_VARIABLE source)
  string(APPEND notice "  ${name}  from ${package} (source ${source})\n")
  list(APPEND packages ${package})
endforeach()
string(APPEND notice "\nCompiled into bin/fuselab:\n")
foreach(package libcli11-dev nlohmann-json3-dev libsqlitecpp-dev)
  execute_process(COMMAND dpkg-query -W -f "\${source:Package} \${source:Version}" ${package} OUTPUT_VARIABLE source)
  string(APPEND notice "  ${package} (source ${source})\n")
endforeach()
list(REMOVE_DUPLICATES packages)
foreach(package ${packages})
  file(REAL_PATH /usr/share/doc/${package}/copyright terms)
  if(NOT EXISTS ${terms})
    message(FATAL_ERROR "no licence text at /usr/share/doc/${package}/copyright")
  endif()
  file(COPY_FILE ${terms} ${bundle}/licences/${package}.txt)
endforeach()
file(WRITE ${bundle}/NOTICE "${notice}")

foreach(shell IN ITEMS bash:bash-completion/completions/fuselab zsh:zsh/site-functions/_fuselab fish:fish/vendor_completions.d/fuselab.fish)
  string(REGEX MATCH "^([a-z]+):(.*)$" parts ${shell})
  get_filename_component(folder ${bundle}/share/${CMAKE_MATCH_2} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND ${bundle}/bin/fuselab completions ${CMAKE_MATCH_1} OUTPUT_FILE ${bundle}/share/${CMAKE_MATCH_2}
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()

file(GLOB_RECURSE files ${bundle}/*)
set(bytes 0)
foreach(file ${files})
  file(SIZE ${file} size)
  math(EXPR bytes "${bytes} + ${size}")
endforeach()
math(EXPR tenths "${bytes} * 10 / 1048576")
string(REGEX REPLACE "(.)$" ".\\1" mebibytes "${tenths}")
message(STATUS "The bundle: ${bundle}, ${mebibytes} MiB")
if(bytes GREATER most_bytes)
  message(FATAL_ERROR "The bundle holds ${mebibytes} MiB; 40 MiB are the most")
endif()

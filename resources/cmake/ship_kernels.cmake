# SPDX-License-Identifier: Apache-2.0
# ship_kernels.cmake: -DFUSELAB=PROGRAM -DLIST=FILE -DFOLDER=DIR. Compiles what the list's lines ask for into a kernel shelf, for every
# SIMD level of x86-64. A line: arguments of `fuselab tune --compile-only`, blanks between them.
file(REMOVE_RECURSE ${FOLDER})
file(STRINGS ${LIST} lines REGEX "^[^#]")
foreach(line ${lines})
  separate_arguments(arguments UNIX_COMMAND "${line}")
  foreach(target x86-64 x86-64-v3 x86-64-v4)
    execute_process(COMMAND ${FUSELAB} tune ${arguments} --compile-only --target ${target} --into ${FOLDER} --quiet
      OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endforeach()

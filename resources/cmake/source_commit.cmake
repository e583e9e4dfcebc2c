# SPDX-License-Identifier: Apache-2.0
# Writes the header OUTPUT that names the commit of the sources in SOURCE, "-dirty" behind it where they differ from it, and
# "unknown" outside a repository. An unchanged header is left alone, so that nothing is built again. Run at build time.
execute_process(
  COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=40 --exclude *
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed OR NOT commit)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define FUSELAB_SOURCE_COMMIT \"${commit}\"\n" @ONLY)

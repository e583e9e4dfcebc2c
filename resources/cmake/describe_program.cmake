# SPDX-License-Identifier: Apache-2.0
# cmake -DFUSELAB=PROGRAM -DVERBS=verbs.def -DVERSION=V -DFOLDER=OUT -P describe_program.cmake: writes fuselab.1.gz from what --help says of
# the program and of each verb, and the completions of three shells.
file(MAKE_DIRECTORY ${FOLDER})

function(told result)
  execute_process(COMMAND ${FUSELAB} ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "$ENV{HOME}/" "~/" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# Text as it stands: a backslash, a hyphen, and a dot or quote at the beginning of a line mean something to troff.
function(verbatim result text)
  string(REPLACE "\\" "\\e" text "${text}")
  string(REPLACE "-" "\\-" text "${text}")
  string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
  set(${result} ".nf\n${text}.fi\n" PARENT_SCOPE)
endfunction()

told(help --help)
verbatim(help "${help}")
set(page ".TH FUSELAB 1 \"\" \"Fuselab ${VERSION}\" \"User Commands\"\n.SH NAME\nfuselab \\- autotuning benchmark and profiling workbench for tensor kernels\n")
string(APPEND page ".SH SYNOPSIS\n.B fuselab\n[OPTIONS] VERB [OPTIONS]\n.SH DESCRIPTION\n${help}.SH VERBS\n")
file(STRINGS ${VERBS} rows REGEX "^[A-Z_]+\\(")
foreach(row IN LISTS rows)
  if(row MATCHES "\\(([a-z]+),")
    told(help ${CMAKE_MATCH_1} --help)
    verbatim(help "${help}")
    string(APPEND page ".SS fuselab ${CMAKE_MATCH_1}\n${help}")
  endif()
endforeach()
file(WRITE ${FOLDER}/fuselab.1 "${page}")
execute_process(COMMAND gzip -9nf ${FOLDER}/fuselab.1 COMMAND_ERROR_IS_FATAL ANY)
told(script completions bash)
file(WRITE ${FOLDER}/fuselab "${script}")
told(script completions zsh)
file(WRITE ${FOLDER}/_fuselab "${script}")
told(script completions fish)
file(WRITE ${FOLDER}/fuselab.fish "${script}")

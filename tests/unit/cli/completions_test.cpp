// SPDX-License-Identifier: Apache-2.0
#include "app/cli/shell/completions.h"

#include <gtest/gtest.h>

#include "tests/unit/cli/toy_commands.h"

namespace fuselab::cli {
namespace {

constexpr const char* kBash = R"sh(_fuselab() {
  local choices="" files="" verb="" nested="" before="" word subjects="wall door"
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$before:$word" in --db:* | *:-*) ;; *)
      if [ -z "$verb" ]; then verb="$word"; elif [ -z "$nested" ]; then nested="$word"; fi ;;
    esac
    before="$word"
  done
  case "$verb:$before" in
    *:--db) files=yes ;;
    paint:--mode) choices="wet dry" ;;
    paint:--seed) ;;
    *) case "$verb:$nested" in
      paint:*) choices="$subjects --help -h --mode --seed --quick -q --db" files=yes ;;
      shelf:) choices=" list put --help -h --db" ;;
      shelf:list) choices=" --help -h --db" ;;
      shelf:put) choices=" --help -h --db" files=yes ;;
      :) choices="paint shelf --help -h --db" ;;
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$choices" -- "${COMP_WORDS[COMP_CWORD]}"))
  if [ -n "$files" ] && [ ${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")); fi
}
complete -F _fuselab fuselab
)sh";
constexpr const char* kFish = R"sh(complete -c fuselab -f
complete -c fuselab -l help -s h -d 'Print this and exit'
complete -c fuselab -l db -r -F -d 'Database file'
complete -c fuselab -n '__fish_use_subcommand' -a paint -d 'Colour a subject'
complete -c fuselab -n '__fish_seen_subcommand_from paint' -a 'wall door'
complete -c fuselab -n '__fish_seen_subcommand_from paint' -F
complete -c fuselab -n '__fish_seen_subcommand_from paint' -l help -s h -d 'Print this and exit'
complete -c fuselab -n '__fish_seen_subcommand_from paint' -l mode -x -a 'wet dry' -d 'It\'s wet or dry'
complete -c fuselab -n '__fish_seen_subcommand_from paint' -l seed -x -d 'Of the colours'
complete -c fuselab -n '__fish_seen_subcommand_from paint' -l quick -s q -d 'One coat'
complete -c fuselab -n '__fish_use_subcommand' -a shelf -d 'Keep files'
complete -c fuselab -n '__fish_seen_subcommand_from shelf; and not __fish_seen_subcommand_from list put' -a list -d 'What is kept'
complete -c fuselab -n '__fish_seen_subcommand_from shelf; and __fish_seen_subcommand_from list' -l help -s h -d 'Print this and exit'
complete -c fuselab -n '__fish_seen_subcommand_from shelf; and not __fish_seen_subcommand_from list put' -a put -d 'Keep one more'
complete -c fuselab -n '__fish_seen_subcommand_from shelf; and __fish_seen_subcommand_from put' -F
complete -c fuselab -n '__fish_seen_subcommand_from shelf; and __fish_seen_subcommand_from put' -l help -s h -d 'Print this and exit'
complete -c fuselab -n '__fish_seen_subcommand_from shelf' -l help -s h -d 'Print this and exit'
)sh";

TEST(Completions, OfAToyInBash) {
  EXPECT_EQ(bash_completions(*toy_commands(), {"wall", "door"}), kBash);
}

TEST(Completions, OfZshAreThoseOfBash) {
  EXPECT_EQ(zsh_completions(*toy_commands(), {"wall", "door"}),
            std::string("autoload -U +X bashcompinit && bashcompinit\n") + kBash);
}

TEST(Completions, OfAToyInFish) {
  EXPECT_EQ(fish_completions(*toy_commands(), {"wall", "door"}), kFish);
}

}  // namespace
}  // namespace fuselab::cli

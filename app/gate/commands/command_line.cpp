// SPDX-License-Identifier: Apache-2.0
#include "app/gate/commands/command_line.h"

#include "core/base/shell_word.h"

namespace fuselab::engine {
std::string CommandLine::text() const {
  if (by_shell) return words.front();
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_word(word);
  return text;
}

}  // namespace fuselab::engine

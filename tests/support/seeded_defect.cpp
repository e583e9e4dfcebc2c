// SPDX-License-Identifier: Apache-2.0
#include "tests/support/seeded_defect.h"

#include <string>

#include "core/graph/graph_text.h"

namespace fuselab::test {
namespace {

std::size_t replace_all(std::string& text, const std::string& from, const std::string& to) {
  std::size_t count = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()), ++count) {
    text.replace(at, from.size(), to);
  }
  return count;
}

}  // namespace

Result<Seeded> seed(const SeededDefect& defect, const CodeGenerator& generator, const Target& target) {
  Seeded seeded;
  FL_TRY(seeded.graph, parse_graph(defect.graph));
  FL_TRY(seeded.config, LaunchConfig::parse(defect.config));
  FL_TRY_VOID(generator.space(seeded.graph, target).check(seeded.config));
  FL_TRY(seeded.sound, generator.generate(seeded.graph, seeded.config, target));
  seeded.broken = seeded.sound;
  if (replace_all(seeded.broken.text, defect.from, defect.to) == 0) {
    return Error{ErrorCode::kNotFound, "the generated text no longer has: " + std::string(defect.from)};
  }
  return seeded;
}

}  // namespace fuselab::test

// SPDX-License-Identifier: Apache-2.0
#include "tests/support/recorded_text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/graph/graph_text.h"

namespace fuselab::test {

Result<std::string> text_of(const RecordedKernel& kernel, const CodeGenerator& generator, const Target& target) {
  FL_TRY(const Graph graph, parse_graph(kernel.graph));
  FL_TRY(const LaunchConfig config, LaunchConfig::parse(kernel.config));
  FL_TRY_VOID(generator.space(graph, target).check(config));
  FL_TRY(SourceModule first, generator.generate(graph, config, target));
  FL_TRY(SourceModule again, generator.generate(graph, config, target));
  if (first.text != again.text) return Error{ErrorCode::kInternal, "two texts for one kernel"};
  return std::move(first.text);
}

void expect_as_recorded(const std::filesystem::path& file, const std::string& text) {
  if (std::getenv("FUSELAB_UPDATE_GOLDENS") != nullptr) {
    std::ofstream(file) << text;
    return;
  }
  std::ifstream recorded(file);
  std::ostringstream held;
  held << recorded.rdbuf();
  const bool same = held.str() == text;
  if (!same) std::ofstream(file.string() + ".actual") << text;
  EXPECT_TRUE(same) << "differs from " << file << "; the new text is beside it as .actual";
}

}  // namespace fuselab::test

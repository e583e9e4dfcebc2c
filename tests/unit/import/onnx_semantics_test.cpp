// SPDX-License-Identifier: Apache-2.0
// What ONNX itself says its operators compute, against the reference that judges our kernels: ONNX's node tests come with inputs
// and expected outputs.
#include <gtest/gtest.h>

#include <iostream>
#include <map>

#include "core/reference/reference.h"
#include "tests/support/onnx_case.h"

namespace fuselab {
namespace {

// Of the 932 cases of version 1.12.
constexpr int kLeastCompared = 787;

struct Outcome {
  bool compared = false;
  bool in_part = false;  // some of its results only
  std::string text;      // what differs; or why nothing was compared
};

Outcome run(const std::filesystem::path& folder) {
  const auto read = test::read_onnx_case(folder);
  if (!read) return {false, false, "has operands that are no tensors"};
  const test::ReadyCase ready = test::ready(*read);
  if (!ready.skipped.empty()) return {false, false, ready.skipped};
  const auto actual = evaluate_reference(ready.graph, ready.inputs);
  if (!actual.ok()) return {true, false, "is not computed: " + actual.error().message};
  const bool in_part = actual.value().size() < read->outputs.size();
  for (std::size_t i = 0; i < actual.value().size(); ++i) {
    if (std::string text = test::difference(*read, i, actual.value()[i]); !text.empty()) return {true, in_part, std::move(text)};
  }
  return {true, in_part, ""};
}

TEST(OnnxSemantics, TheReferenceComputesWhatOnnxSays) {
  const auto folders = test::onnx_cases();
  if (folders.empty()) GTEST_SKIP() << test::kOnnxCases << " is not there: install libonnx-testdata";
  int compared = 0, in_part = 0;
  std::map<std::string, int> reasons;
  for (const auto& folder : folders) {
    const Outcome outcome = run(folder);
    if (!outcome.compared) {
      ++reasons[outcome.text];
      continue;
    }
    ++compared;
    in_part += outcome.in_part ? 1 : 0;
    EXPECT_EQ(outcome.text, "") << folder.filename().string();
  }
  std::cout << compared << " cases compared, " << in_part << " of them in their first result only\n";
  for (const auto& [reason, count] : reasons) std::cout << "  " << count << " skipped: " << reason << '\n';
  EXPECT_GE(compared, kLeastCompared);
}

}  // namespace
}  // namespace fuselab

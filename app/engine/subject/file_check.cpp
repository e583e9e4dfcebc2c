// SPDX-License-Identifier: Apache-2.0
#include "app/engine/subject/file_check.h"

#include <algorithm>

#include "core/base/formatted.h"
#include "core/import/onnx_evaluation.h"
#include "core/platform/machine/machine.h"

namespace fuselab::engine {

FileCheck check_against_file(const Subject& subject, platform::Links links, const std::map<std::string, RealTensor>& given,
                             std::span<const ExpectedOutput> expected) {
  constexpr std::int64_t kMostMemory = std::int64_t{4} << 30;  // its tensors, and the one that is being made
  FileCheck check;
  if (const Bytes available = platform::available_memory(); available.count > 0 && available.count < kMostMemory) {
    check.not_evaluated = "it may take 4 GiB of memory, and less is free";
    return check;
  }
  const auto outputs = evaluate_onnx(subject.file, given, links);
  if (!outputs.ok()) {
    check.not_evaluated = outputs.error().message;
    return check;
  }
  for (std::size_t i = 0; i < std::min(expected.size(), outputs.value().size()); ++i) {
    const TensorType &ours = expected[i].type, &the_files = outputs.value()[i].type;
    if (ours == the_files) continue;
    check.verification.detail =
        "output " + std::to_string(i) + " is " + type_text(ours) + ", and by the file " + type_text(the_files);
    return check;
  }
  check.verification = compare_outputs(subject.graph, expected, outputs.value());
  return check;
}

std::string file_check_text(const FileCheck& check) {
  if (!check.not_evaluated.empty())
    return "The file itself was not evaluated, so that a mistake in reading it would not show: " + check.not_evaluated;
  if (check.failed()) return "The graph that ran is NOT what the file says: " + check.verification.detail;
  return formatted(
      "Checked against the file itself, evaluated node by node in float64: passed, %lld values, largest difference %.2g",
      static_cast<long long>(check.verification.checked), check.verification.max_error);
}

}  // namespace fuselab::engine

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>

#include "app/engine/subject/subject.h"
#include "core/reference/reference.h"
#include "core/reference/tolerance.h"
#include "core/tensor/tensor.h"

namespace fuselab::engine {

// The float64 reference held against the model's file. The reference evaluates the graph that was run, and so believes what the
// importer and the folding of weights made of the file; the file is evaluated node by node, without them.
struct FileCheck {
  std::string not_evaluated;  // why the file could not be evaluated; empty: it was
  Verification verification;  // of the reference's outputs, where it was

  bool failed() const { return not_evaluated.empty() && !verification.passed; }
};

// `given`: the numbers of inputs and weights that are not the file's, by their names; `expected`: what the reference says of the
// whole graph's outputs. Requires a subject with a file.
FileCheck check_against_file(const Subject& subject, platform::Links links, const std::map<std::string, RealTensor>& given,
                             std::span<const ExpectedOutput> expected);

// "Checked against the file itself, evaluated node by node in float64: passed".
std::string file_check_text(const FileCheck& check);

}  // namespace fuselab::engine

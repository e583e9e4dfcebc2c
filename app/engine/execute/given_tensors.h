// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/tensor/tensor.h"

namespace fuselab::engine {

// Where the tensors of a run come from and what they are held against, by the names of the graph's inputs and outputs.
struct GivenTensors {
  std::map<std::string, std::filesystem::path> inputs;  // NumPy's array files
  std::map<std::string, double> values;                 // one number for every element of an input
  std::map<std::string, std::filesystem::path> expect;  // of outputs
};

// Numbers that a model's file holds for its params; null: none.
using WeightNumbers = std::shared_ptr<const std::map<std::string, std::vector<std::byte>>>;

// Checks the names alone.
// Fails with the names that there are for one that the graph does not have, or that is given twice.
Status check_given(const Graph& graph, const GivenTensors& given);

// One of the graph's inputs, packed, and where it came from: it was given, else the model's file holds it, else the seed makes it.
struct InputTensor {
  enum class Source { kGiven, kFile, kSeed };
  Source source = Source::kSeed;
  std::vector<std::byte> bytes;
};

// Fails for a file that cannot be read or holds a tensor of another type, naming the input and both types.
Result<InputTensor> input_tensor(const Graph& graph, std::size_t index, const GivenTensors& given, const WeightNumbers& weights,
                                 std::uint64_t seed);

// The outcome of holding one output against the numbers that were given for it.
struct Expectation {
  std::string output, file;
  double largest_error = 0, largest_expected = 0;  // absolute
  double worst_ratio = 0;                          // the largest error as a multiple of what is tolerated there
  bool met() const { return worst_ratio <= 1; }
};

// Holds outputs against what another program computed, which rounds elsewhere and approximates functions by its own polynomials:
// |actual − expected| ≤ tolerance · (|expected| + the largest |expected|) + 1e-6, with 1e-4 for f32 and f64 and 1e-2 for shorter
// types. Integers and NaN must be the same. Fails as input_tensor() does.
Result<std::vector<Expectation>> hold_against(const Graph& graph, const GivenTensors& given,
                                              const std::vector<RealTensor>& outputs);

}  // namespace fuselab::engine

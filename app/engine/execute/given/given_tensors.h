// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/import/wire/imported_model.h"
#include "core/tensor/tensor.h"

namespace fuselab::engine {

// Files of one tensor: one file, or one for each of several runs in their order. See read_tensor_file() for how they are named.
using TensorFiles = std::vector<std::filesystem::path>;

// What may lie between an output and the numbers that are expected of it, where the user says so.
struct ExpectRule {
  std::optional<double> relative = {};  // of each expected number
  double absolute = 0;                  // beside it
  std::int64_t steps = 0;               // of a quantised output: so many of its scale; of integers so many
  bool is_given() const { return relative.has_value() || steps > 0; }
};

// Where the tensors of a run come from and what they are held against, by the names of the graph's inputs and outputs.
struct GivenTensors {
  std::map<std::string, TensorFiles> inputs = {};
  std::map<std::string, double> values = {};       // one number for every element of an input
  std::map<std::string, TensorFiles> expect = {};  // of outputs
  ExpectRule expect_rule = {};
  std::map<std::string, std::string> feedback = {};  // inputs that are the outputs of the run before; zero at first, unless given

  // The values that hold in every run: those that are fed back change, so nothing may be folded by what they are at first.
  InputNumbers lasting_values() const;
};

// Numbers that a model's file holds for its params; null: none.
using WeightNumbers = std::shared_ptr<const std::map<std::string, std::vector<std::byte>>>;

// The numbers of one tensor in every run, packed.
struct TensorOfRuns {
  std::string files;             // for people
  std::vector<std::byte> bytes;  // one run's after the other's where they are given for each
  int runs = 1;                  // 1: the same in every run
  bool for_each_run() const { return runs > 1; }
  // Returns those of a run, counted from 0.
  std::span<const std::byte> of_run(int run) const;
};

// What the files of GivenTensors hold, by the names of inputs and outputs.
struct GivenNumbers {
  std::map<std::string, TensorOfRuns> inputs, expect;
};

// Reads and checks all that is given for so many runs of a concrete graph; nothing has to be made or run for it. A tensor of a file
// has its input's type, and is then meant for every run (of an output: for the last), or it is one for each run: along a first axis
// of its own, or with a first extent that is so many times as long.
// Fails with one error that names the tensor and both types where a name is unknown or given twice, a file cannot be read, or types
// or extents differ; and where an input that is fed back is not what it is fed from.
Result<GivenNumbers> read_given(const Graph& graph, const GivenTensors& given, int runs);

// Returns whether the runs may differ, so that each has outputs of its own.
bool runs_differ(const GivenTensors& given, const GivenNumbers& numbers);

// One of the graph's inputs, packed, and where it came from: it was given, else the model's file holds it, else the seed makes it.
struct InputTensor {
  enum class Source { kGiven, kFile, kSeed };
  Source source = Source::kSeed;
  std::vector<std::byte> bytes;
};

// Returns an input of the first run.
Result<InputTensor> input_tensor(const Graph& graph, std::size_t index, const GivenTensors& given, const GivenNumbers& numbers,
                                 const WeightNumbers& weights, std::uint64_t seed);

}  // namespace fuselab::engine

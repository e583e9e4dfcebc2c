// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include <cstring>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "backends/emulator/launch.h"
#include "backends/emulator/tensor_map.h"

namespace fuselab::simt {

// A kernel that stands on the second prelude, with its launch.
struct MatrixTrial {
  std::string entry = "k";
  std::string body;
  LaunchShape shape;
  std::vector<Argument> arguments;
};

// One change of a kernel's text, and what must be found in every order of the threads: a regular expression. Empty: nothing is, but
// the results are wrong.
struct SeededDefect {
  std::string from, to;
  std::string finding;
};

using Arguments = std::vector<Argument>;

// Runs the kernel under five orders of its threads. `check` is given what it has written.
// Returns how the last launch went.
Outcome expect_right(const MatrixTrial& trial, const std::function<void(const Arguments&)>& check);
// Each defect is found, or makes `is_right` say no, in every order that is tried.
void expect_found(const MatrixTrial& trial, const std::vector<SeededDefect>& defects,
                  const std::function<bool(const Arguments&)>& is_right);

std::string changed(std::string text, const std::string& from, const std::string& to);
// The text of a file below tests/.
std::string kernel_file(const std::string& name);

template <typename T>
Argument given(const std::string& name, const std::vector<T>& values) {
  Argument argument{name, BufferUse::kRead, sizeof(T), 64, std::vector<std::byte>(values.size() * sizeof(T)), -1};
  std::memcpy(argument.bytes.data(), values.data(), argument.bytes.size());
  return argument;
}

template <typename T>
Argument wanted(const std::string& name, std::size_t count) {
  return {name, BufferUse::kWrite, sizeof(T), 64, std::vector<std::byte>(count * sizeof(T), std::byte{0xFF}), -1};
}

template <typename T>
std::vector<T> values_of(const Argument& argument) {
  std::vector<T> values(argument.bytes.size() / sizeof(T));
  std::memcpy(values.data(), argument.bytes.data(), argument.bytes.size());
  return values;
}

// A map of two-byte elements of the argument with this number: columns and rows of the tensor, and of its box.
TensorMap map_of(std::int64_t columns, std::int64_t rows, std::int32_t box_columns, std::int32_t box_rows, int swizzle = 128);
Argument map_argument(const TensorMap& map, int of);

std::uint16_t bf16_of(float value);  // to the nearest, ties to even
float bf16_value(std::uint16_t bits);
// As many numbers between -1 and 1 as bf16 has them.
std::vector<std::uint16_t> random_bf16(std::size_t count, std::uint64_t seed);

}  // namespace fuselab::simt

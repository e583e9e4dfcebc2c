// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/backend/backend.h"
#include "tests/device/primitives/primitive_case.h"

// What cases of every vendor are made of.
namespace fuselab::primitives {

// One-dimensional arguments.
KernelArgument in(const char* name, DType dtype, std::int64_t count);
KernelArgument out(const char* name, DType dtype, std::int64_t count);

// Makes a case of a text in a folder, behind `prelude`, with one kernel called "primitive" of so many threads, and random inputs:
// whole numbers from -15 to 15, and of reals all kinds. Fails with kIo.
struct WrittenKernel {
  std::string name;
  std::filesystem::path file;
  std::string prelude;
  std::vector<KernelArgument> arguments;
  std::int64_t blocks = 1, threads = 1, shared_bytes = 0;
};
Result<PrimitiveCase> written_case(const WrittenKernel& written);

// Makes a case of what a generator writes for a graph on a target, with its inputs.
struct GraphCase {
  const char* name;
  const char* graph;
  int ulps;
};
Result<PrimitiveCase> generated_case(const GraphCase& of, const CodeGenerator& generator, const std::string& target);

}  // namespace fuselab::primitives

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "backends/python/python_program.h"
#include "core/base/result.h"
#include "core/base/units.h"

namespace fuselab::python {

// What the helper's process is started for: Triton's interpreter takes the place of its compiler in the whole process.
enum class HelperMode { kCompile, kInterpret };

struct HelperLimits {
  std::chrono::milliseconds start{60'000};
  std::chrono::milliseconds request{100'000};   // below the engine's limit for a compilation, so that this one's words arrive
  Bytes address_space{std::int64_t{24} << 30};  // libraries reserve far more than they use
  Bytes largest_answer{std::int64_t{512} << 20};
  int requests_of_a_process = 500;  // then a fresh one takes its place: compilers do not give everything back
};

struct HelperAnswer {
  nlohmann::json fields;  // an object
  std::vector<std::byte> data;
};

// Runs resources/python/fuselab_compile.py, which imports the files beside it, and asks it, one request after the other. The
// process starts with the first request. It stays in this process's group, since it must not outlive a killed worker, has a folder
// of its own for what it writes, and is killed and replaced after whatever broke off a request. Thread-safe.
class PythonHelper {
 public:
  using FindProgram = std::function<Result<PythonProgram>()>;
  // `find` is asked when a process is started.
  PythonHelper(FindProgram find, HelperMode mode, HelperLimits limits = {});
  ~PythonHelper();

  // Fails as the helper says, and with kUnavailable (no Python, a package is missing), kCrashed, kTimeout, kCorrupt (it wrote what
  // is no answer), kCancelled.
  Result<HelperAnswer> ask(const nlohmann::json& request, std::span<const std::byte> data = {}, const std::stop_token& stop = {});

  // Returns the version of the Python and its path, once something was asked; else nothing.
  std::string python() const;

 private:
  class Process;
  mutable std::mutex mutex_;
  FindProgram find_;
  HelperMode mode_;
  HelperLimits limits_;
  std::unique_ptr<Process> process_;
  std::string python_;
};

// Returns a text of an answer as one line; empty where it is another type or absent. What another process wrote may be anything.
std::string line_in(const nlohmann::json& answer, const char* name);

// Returns the first digits of the hash of the helper's texts: it is part of the identity of what it makes.
std::string helper_version();

// Removes what killed helpers left in the temporary folder.
void sweep_helpers();

}  // namespace fuselab::python

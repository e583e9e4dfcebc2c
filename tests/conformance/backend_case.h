// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "backends/builtin_backends.h"
#include "tests/support/rotation.h"

namespace fuselab::conformance {

// Something a backend claims in general but cannot do yet. Proved to be still so: an exception that holds no longer fails.
struct Unsupported {
  std::string pattern;  // shell pattern over "<Op>/<dtype>" or a workload's id: "Pow/i64", "w10-*"
  std::string reason;
};

// A backend in the suite. Every one that is built takes part by its row; what only it needs, a file of its name in
// tests/conformance/backends states in `void state_<id>(BackendCase&)`.
struct BackendCase {
  std::string id;
  const BackendInfo* row = nullptr;
  bool usable_everywhere = false;    // probe() may not say no
  bool compiles_in_no_time = false;  // every dtype of every operator, not a rotating sample
  unsigned one_in = 1;               // operators and workloads of a run, rotating with the seed; all of them in a full run
  int onnx_cases = 0;                // ONNX node cases, of the 932 of version 1.12, that it generates; 0: not asked
  unsigned onnx_one_in = 9;          // of those, cases of which a run that is not full runs one
  std::vector<Unsupported> unsupported;
  bool is_narrow = false;   // a library of one family of operators: its operators alone are tried
  bool takes_part = false;  // a library: pieces of a model that it has no primitives for are refused, each with its reason

  std::unique_ptr<FusionBackend> make() const { return make_backend(*row); }
};

inline void PrintTo(const BackendCase& backend, std::ostream* out) {  // NOLINT(readability-identifier-naming): GoogleTest's name
  *out << backend.id;
}

// Those that are built; narrow ones where they are asked for.
std::vector<BackendCase> all_cases(bool narrow_too = false);
// For tests of what one backend alone has; it must be built.
BackendCase case_of(std::string_view id);

// The exception that names this, or null.
const Unsupported* find_unsupported(const BackendCase& backend, const std::string& what);

// A backend on its first device, or why it has none.
struct Opened {
  std::unique_ptr<FusionBackend> backend;
  DeviceInfo device;
  std::unique_ptr<DeviceRuntime> runtime;
  std::string why_not;  // empty when opened
};
Opened open_first_device(const BackendCase& backend);

using test::run_everything;
using test::sample_seed;

// Whether this run tries the position-th of what a backend takes turns with.
inline bool has_its_turn(const BackendCase& backend, unsigned position) {
  return run_everything() || (sample_seed() + position) % backend.one_in == 0;
}

}  // namespace fuselab::conformance

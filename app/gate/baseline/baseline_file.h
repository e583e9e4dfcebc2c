// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/engine/measure/timing_run.h"
#include "core/base/result.h"
#include "core/kernel/compiled_kernel.h"
#include "db/connection/trust.h"

// The file that `fuselab baseline save` writes: the kernels of the gate's cases as they were, complete enough to be run again
// beside today's. The whole file is signed with the user's key (decision 2), so that its machine code cannot come from somebody
// else.
namespace fuselab::engine {

// The most timing runs that a kernel keeps; the oldest are dropped.
inline constexpr std::size_t kMostTimingRuns = 30;

// One fused piece of a case on one device.
struct BaselineKernel {
  std::string case_name;   // of fuselab.toml
  std::string piece;       // of the case, where it has several: "layer.0/softmax"
  std::string subject;     // "w5-softmax rows=128,cols=1024 f32", for messages
  std::string graph_text;  // canonical and concrete: what the kernel computes
  std::string device_id, device_uuid, device_name;
  Target target;                                 // the target it was compiled for
  CompiledKernel kernel;                         // source, binary, call record, flags
  Nanoseconds budget = ComparisonRule().budget;  // its case's kernel time for a comparison; the default in older files
  std::string config_from;                       // where its launch configuration comes from: "tuned", "default", …
  std::vector<TimingRun> sessions;  // its timing runs, oldest first; empty where the machine was too disturbed for figures

  std::string graph_key() const;  // hex
};

struct Baseline {
  std::string tool_version;
  std::string commit;      // of the user's repository; empty: there was none
  std::string saved_at;    // UTC, "2026-11-22T17:05:00Z"
  std::string expires_at;  // in the same format; empty: never
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<BaselineKernel> kernels;

  // The next three come from reading the file and are not stored in it.
  std::string file;    // file name, for messages
  std::string signer;  // public key, 64 hexadecimal digits
  bool trusted = false;

  bool expired(const std::string& now) const { return !expires_at.empty() && now >= expires_at; }
  std::string origin() const;  // "baseline.fuselab of 2026-11-22"
};

// Signs the baseline and writes it atomically. Fails with kIo or kUntrusted.
Status write_baseline(const std::filesystem::path& file, const Baseline& baseline, db::Trust& trust);

// Reads a baseline file and checks its signature. A valid signature of somebody who is not trusted is no error: `trusted` is then
// false. In a file of an older Fuselab the only timing run does not say which machine it is of.
// Fails with kNotFound where there is no such file; with kCorrupt for a file that is no baseline, was cut short or edited, or is
// inconsistent; with kUnsupported for a file of a newer Fuselab.
Result<Baseline> read_baseline(const std::filesystem::path& file, db::Trust& trust);

}  // namespace fuselab::engine

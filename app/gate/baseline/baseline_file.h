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

// The file that `fuselab baseline save` writes: the kernels of the gate's cases as they were, whole enough to be run again beside
// today's. Signed as one piece with the user's key (decision 2), so that its machine code is nobody else's.
namespace fuselab::engine {

// Sessions that a kernel keeps at most; the oldest go.
inline constexpr std::size_t kMostSessions = 30;

// One fused piece of a case on one device.
struct BaselineKernel {
  std::string case_name;   // of fuselab.toml
  std::string piece;       // of the case, where it has several: "layer.0/softmax"
  std::string subject;     // "w5-softmax rows=128,cols=1024 f32": for people
  std::string graph_text;  // canonical and concrete; what the kernel computes
  std::string device_id, device_uuid, device_name;
  Target target;                                 // that it was compiled for
  CompiledKernel kernel;                         // source, binary, call record, flags
  Nanoseconds budget = ComparisonRule().budget;  // that its case gives a comparison; of files of before the usual one
  std::string config_from;                       // why it is in this launch configuration: "tuned", "default", …
  std::vector<TimingRun> sessions;  // what it took, the oldest first; none where the machine was too disturbed for figures

  std::string graph_key() const;  // hex
};

struct Baseline {
  std::string tool_version;
  std::string commit;      // of the user's repository; empty: none
  std::string saved_at;    // UTC, "2026-11-22T17:05:00Z"
  std::string expires_at;  // the same, or empty: never
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<BaselineKernel> kernels;

  // Of the file rather than in it.
  std::string file;    // its name, for people
  std::string signer;  // public key, 64 hexadecimal digits
  bool trusted = false;

  bool expired(const std::string& now) const { return !expires_at.empty() && now >= expires_at; }
  std::string origin() const;  // "baseline.fuselab of 2026-11-22"
};

// Signs and writes it atomically. kIo, kUntrusted.
Status write_baseline(const std::filesystem::path& file, const Baseline& baseline, db::Trust& trust);

// kNotFound where there is no such file; kCorrupt for what is no baseline, was cut short, edited or does not hold together;
// kUnsupported for one of a newer Fuselab. Of an older one's file the only session does not
// say on which machine it was. A signature that fits but nobody trusts is no error: `trusted` says so.
Result<Baseline> read_baseline(const std::filesystem::path& file, db::Trust& trust);

}  // namespace fuselab::engine

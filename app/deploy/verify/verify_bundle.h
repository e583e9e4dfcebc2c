// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/deploy/bundle/bundle_file.h"
#include "app/engine/job/engine.h"
#include "core/stats/statistics.h"

namespace fuselab::deploy {

struct VerifySpec {
  std::filesystem::path file;
  std::string device = "cpu:0";
  double most_slowdown_percent = 10;  // that a piece may be slower than when it was exported
  int processes = 3;                  // fresh ones that time each piece
  double seconds = 1;                 // of kernel time per piece
};

enum class PieceVerdict { kAsFast, kFaster, kSlower, kNotCompared, kWrong, kFailed };
std::string_view name_of(PieceVerdict verdict);  // "as fast", …

struct VerifiedPiece {
  std::string name;
  PieceVerdict verdict = PieceVerdict::kFailed;
  std::string reason;  // why it failed, or why it has no time here; empty where it was never measured before it went out
  std::optional<BundleFigure> exported;
  std::optional<Summary> here;  // of the medians of the processes; its interval is their range
  // Time here over the exported one; 0 where either is unknown.
  double ratio() const { return here && exported ? here->median / exported->median_ns : 0; }
};

struct VerifiedRun {
  std::string model, binding;
  Nanoseconds median;  // of a whole run by the loader
};

struct VerifiedBundle {
  InspectedBundle bundle;
  Nanoseconds open;                          // by the loader, weights hashed
  int tuned = 0, untuned = 0, baseline = 0;  // launches of one run of each model
  std::vector<VerifiedRun> runs;
  std::string other_processor;  // the one that it was measured on, where this one is another; times are told then, and not judged
  std::vector<VerifiedPiece> pieces;

  bool has(PieceVerdict verdict) const;
};

// Does what production does, and checks it: the loader opens the bundle and runs its models, every piece is compared with the
// float64 reference, and timed in fresh processes as it was when it was measured. Fails with kUntrusted for a bundle that this user
// does not trust, of which nothing is run, with read_bundle()'s errors, and where the loader refuses it. What a piece does is its
// verdict.
Result<VerifiedBundle> verify_bundle(engine::Engine& engine, const VerifySpec& spec, std::stop_token stop);

}  // namespace fuselab::deploy

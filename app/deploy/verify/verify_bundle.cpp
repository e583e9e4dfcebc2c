// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/verify/verify_bundle.h"

#include <algorithm>

#include "app/deploy/verify/bundle_plan.h"
#include "app/engine/measure/timing_run.h"
#include "app/engine/workers/selected_devices.h"

namespace fuselab::deploy {
namespace {

constexpr int kRuns = 15;  // of whole models

PieceVerdict judge(const VerifiedPiece& piece, double most_slowdown_percent) {
  const double limit = 1 + most_slowdown_percent / 100;
  if (piece.here->interval.low > piece.exported->high_ns * limit) return PieceVerdict::kSlower;
  if (piece.here->interval.high * limit < piece.exported->low_ns) return PieceVerdict::kFaster;
  return PieceVerdict::kAsFast;
}

// The error of a plan that ran and missed the reference is kNumerics; every other one says that it did not run.
PieceVerdict verdict_of(const Error& error) {
  return error.code == ErrorCode::kNumerics ? PieceVerdict::kWrong : PieceVerdict::kFailed;
}

class Verifier {
 public:
  Verifier(engine::WorkerPool& workers, const VerifySpec& spec, DeviceInfo device, std::stop_token stop)
      : workers_(workers), spec_(spec), device_(std::move(device)), stop_(std::move(stop)) {}

  Status open_and_run(VerifiedBundle& verified) {
    wire::BundleRequest request{std::filesystem::absolute(spec_.file).string(), verified.bundle.signer, kRuns};
    FL_TRY(const wire::BundleReply reply, workers_.run_bundle(device_, request, stop_));
    verified.open = reply.open;
    verified.tuned = reply.tuned;
    verified.untuned = reply.untuned;
    verified.baseline = reply.baseline;
    for (const wire::BundleRun& run : reply.runs) verified.runs.push_back({run.model, run.binding, run.median});
    return {};
  }

  Status check_piece(const BundlePiece& piece, VerifiedBundle& verified) {
    VerifiedPiece& checked = verified.pieces.emplace_back();
    checked.name = piece.name;
    checked.exported = piece.figure;
    const Status timed = time(piece, verified.bundle, checked);
    if (!timed.ok()) {
      if (timed.error().code == ErrorCode::kCancelled) return timed;
      checked.verdict = verdict_of(timed.error());
      checked.reason = timed.error().message;
    } else if (!checked.here || !checked.exported || !verified.other_processor.empty()) {
      checked.verdict = PieceVerdict::kNotCompared;
    } else {
      checked.verdict = judge(checked, spec_.most_slowdown_percent);
    }
    return {};
  }

 private:
  Status time(const BundlePiece& piece, const InspectedBundle& bundle, VerifiedPiece& checked) {
    engine::TimingRunSpec timing;
    timing.device = device_;
    FL_TRY(timing.plan, plan_of(piece, bundle, device_));
    timing.budget = {1e9 * spec_.seconds};
    timing.processes = spec_.processes;
    FL_TRY(const engine::MeasuredTimingRun run, engine::measure_timing_run(workers_, timing, stop_));
    std::vector<double> medians;
    for (const std::vector<double>& samples : engine::samples_of(run.processes)) medians.push_back(summarize(samples).median);
    if (medians.empty()) {  // it matched, since nothing is timed before
      if (!run.fit.ok()) checked.reason = run.fit.error().message;
      return {};
    }
    checked.here = summarize(medians);
    checked.here->interval = {checked.here->minimum, checked.here->maximum};
    return {};
  }

  engine::WorkerPool& workers_;
  const VerifySpec& spec_;
  DeviceInfo device_;
  std::stop_token stop_;
};

}  // namespace

std::string_view name_of(PieceVerdict verdict) {
  switch (verdict) {
    case PieceVerdict::kAsFast: return "as fast";
    case PieceVerdict::kFaster: return "faster";
    case PieceVerdict::kSlower: return "slower";
    case PieceVerdict::kNotCompared: return "matches";
    case PieceVerdict::kWrong: return "WRONG";
    case PieceVerdict::kFailed: return "FAILED";
  }
  FL_ASSERT(false);
}

bool VerifiedBundle::has(PieceVerdict verdict) const {
  return std::any_of(pieces.begin(), pieces.end(), [&](const VerifiedPiece& piece) { return piece.verdict == verdict; });
}

Result<VerifiedBundle> verify_bundle(engine::Engine& engine, const VerifySpec& spec, std::stop_token stop) {
  VerifiedBundle verified;
  db::Trust trust(engine.config().key_directory);
  FL_TRY(verified.bundle, read_bundle(spec.file, trust));
  const std::string file = spec.file.string();
  if (!verified.bundle.trusted) {
    const std::string who =
        verified.bundle.signer.empty() ? "nobody signed it" : verified.bundle.signer + " signed it, whom you do not trust";
    return Error{ErrorCode::kUntrusted, file + ": " + who + ", so that nothing of it is run; `fuselab trust add` accepts a key"};
  }
  FL_TRY(const auto backends, engine.devices(false));
  DeviceChoice choice;
  choice.only = {spec.device};
  FL_TRY(const auto devices, engine::select_devices(backends, choice, engine.config().synthetic));
  if (devices.size() != 1 || devices.front().backend != "cpu")
    return Error{ErrorCode::kUnsupported, "'" + spec.device + "' runs no bundle: it holds kernels for one CPU (cpu:0)"};
  const DeviceInfo& device = devices.front();
  if (verified.bundle.manifest.environment.processor != device.name)
    verified.other_processor = verified.bundle.manifest.environment.processor;
  engine::WorkerPoolOptions options;
  options.worker_program = engine.config().worker_program;
  options.cache_directory = engine.config().cache_directory;
  engine::WorkerPool workers(options);
  Verifier verifier(workers, spec, device, std::move(stop));
  const Status opened = verifier.open_and_run(verified);
  if (!opened.ok()) return opened.error().within(file);
  for (const BundlePiece& piece : verified.bundle.manifest.pieces) FL_TRY_VOID(verifier.check_piece(piece, verified));
  return verified;
}

}  // namespace fuselab::deploy

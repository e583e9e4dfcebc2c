// SPDX-License-Identifier: Apache-2.0
#include "core/stats/noise_model.h"

#include <array>
#include <cmath>
#include <numbers>

namespace fuselab {
namespace {

constexpr double kBaseNanoseconds = 1e6;

constexpr std::array<NoiseModel, 3> kModels = {{
    {"M1", "0.5 % a sample, 3 % of them held up", 0.005, 0.03, 0.05, 0, 0},
    {"M2", "M1, 0.5 % from session to session, 0.3 % from process to process", 0.005, 0.03, 0.05, 0.005, 0.003},
    {"M3", "1 % a sample, 5 % of them held up, 2 % a session, 0.5 % a process", 0.01, 0.05, 0.05, 0.02, 0.005},
}};

}  // namespace

std::span<const NoiseModel> noise_models() {
  return kModels;
}

NoiseSource::NoiseSource(const NoiseModel& model, std::uint64_t seed) : model_(model), random_(seed) {
  run_ = model_.run * normal();
}

// Box and Muller 1958; unit() is below 1, so that the logarithm's argument is above 0.
double NoiseSource::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - random_.unit()));
  return radius * std::cos(2 * std::numbers::pi * random_.unit());
}

double NoiseSource::sample(double mean_log) {
  double time = kBaseNanoseconds * std::exp(mean_log + model_.sample * normal());
  if (random_.unit() < model_.tail_share) time *= 1 - model_.tail_mean * std::log(1 - random_.unit());
  return time;
}

PairedSamples NoiseSource::next_process(int rounds, double slowdown) {
  const double baseline = run_ + model_.process * normal();
  const double candidate = run_ + model_.process * normal() + std::log1p(slowdown);
  PairedSamples samples;
  for (int round = 0; round < rounds; ++round) {
    samples.baseline.push_back(sample(baseline));
    samples.candidate.push_back(sample(candidate));
  }
  return samples;
}

}  // namespace fuselab

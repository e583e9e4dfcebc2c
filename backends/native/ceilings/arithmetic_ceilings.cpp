// SPDX-License-Identifier: Apache-2.0
#include "backends/native/ceilings/arithmetic_ceilings.h"

#include <algorithm>
#include <iterator>
#include <utility>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "backends/host/pinned_scope.h"
#include "backends/native/ceilings/rate_sample.h"
#include "backends/native/ceilings/usable_kernels.h"

namespace fuselab::cpu {
namespace {

constexpr std::size_t kRounds = 20'000;
constexpr std::size_t kFinalists = 3;
constexpr const char* kKinds[] = {"flops", "flops-f64", "flops-half"};

// Where the processor has no units for half types, these are computed in f32. The rate of such units is not measured.
bool computes_halves_in_f32() {
#if defined(__x86_64__)
  constexpr unsigned kAmxBf16 = 1U << 22, kAvx512Fp16 = 1U << 23, kAvx512Bf16 = 1U << 5;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & (kAmxBf16 | kAvx512Fp16)) != 0) return false;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) == 0 || (a & kAvx512Bf16) == 0;
#else
  return false;
#endif
}

// The form that is fastest, with its rate. All run twice; the best of those are sampled, since many are nearly as fast.
Ceiling fastest(ThreadPool& pool, const std::vector<ArithmeticForm>& forms, int threads, double nanoseconds) {
  const auto amount_of = [&](const ArithmeticForm& form) { return form.per_round * kRounds * threads; };
  std::vector<std::pair<double, std::size_t>> standings;
  for (std::size_t index = 0; index < forms.size(); ++index)
    standings.emplace_back(glimpse_rate(amount_of(forms[index]), [&] { calculate(pool, threads, forms[index], kRounds); }), index);
  std::sort(standings.rbegin(), standings.rend());
  standings.resize(std::min(standings.size(), kFinalists));
  Ceiling best;
  for (const auto& standing : standings) {
    const ArithmeticForm& form = forms[standing.second];
    const Summary rate = sample_rate(amount_of(form), nanoseconds / static_cast<double>(standings.size()),
                                     [&] { calculate(pool, threads, form, kRounds); });
    if (rate.p90 > best.per_second) best = {form.kind, 0, 0, false, {0}, threads, rate.p90, rate.median, rate.maximum, form.name};
  }
  return best;
}

}  // namespace

std::vector<ArithmeticForm> arithmetic_forms(const std::string& kind) {
  std::vector<ArithmeticForm> forms;
  const bool wide = kind == "flops-f64", half = kind == "flops-half";
  if ((kind != "flops" && !wide && !half) || (half && !computes_halves_in_f32())) return forms;
  for (const StreamKernels* const kernels : usable_stream_kernels()) {
    for (const FlopKernel& kernel : wide ? kernels->flops_f64 : kernels->flops) {
      forms.push_back(
          {kind, std::string(kernels->name) + ", " + std::to_string(kernel.chains) + " chains", kernel.run, kernel.per_round});
    }
  }
  return forms;
}

ArithmeticForm arithmetic_form_named(const std::string& kind, const std::string& name) {
  const std::vector<ArithmeticForm> forms = arithmetic_forms(kind);
  const auto found = std::find_if(forms.begin(), forms.end(), [&](const ArithmeticForm& form) { return form.name == name; });
  return found != forms.end() ? *found : forms.empty() ? ArithmeticForm{kind, "", nullptr, 0} : forms.front();
}

void calculate(ThreadPool& pool, int threads, const ArithmeticForm& form, std::size_t rounds) {
  pool.run(threads, [&](int thread) {
    volatile float kept = form.run(rounds, static_cast<float>(thread));
    static_cast<void>(kept);
  });
}

std::vector<Ceiling> measure_arithmetic_ceilings(ThreadPool& pool, double seconds) {
  const std::vector<int> counts = thread_counts(pool);
  const double share_ns = seconds * 1e9 / static_cast<double>(counts.size() * std::size(kKinds));
  const host::PinnedScope pinned(pool.first_cpu());
  std::vector<Ceiling> rows;
  for (const char* const kind : kKinds) {
    const std::vector<ArithmeticForm> forms = arithmetic_forms(kind);
    for (const int threads : counts) {
      if (!forms.empty()) rows.push_back(fastest(pool, forms, threads, share_ns));
    }
  }
  return rows;
}

}  // namespace fuselab::cpu

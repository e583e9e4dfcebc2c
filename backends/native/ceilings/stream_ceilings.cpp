// SPDX-License-Identifier: Apache-2.0
#include "backends/native/ceilings/stream_ceilings.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <numeric>

#include "backends/host/guarded_memory.h"
#include "backends/host/pinned_scope.h"
#include "backends/native/ceilings/rate_sample.h"
#include "backends/native/ceilings/stream_kernels.h"
#include "core/stats/statistics.h"

namespace fuselab::cpu {
namespace {

constexpr double kWorthATurn = 1 << 20;  // bytes
constexpr std::size_t kPhase = 16'384;   // elements of each stream: what a first or second cache holds of a few streams

const StreamKernels& best_kernels() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return avx512_stream_kernels();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2_stream_kernels();
  return baseline_stream_kernels();
}

// The arrays of one mix, each touched by the thread that will stream it.
class Arrays {
 public:
  static Result<Arrays> create(ThreadPool& pool, int reads, int writes, Bytes footprint) {
    constexpr std::int64_t kGranule = 64 * sizeof(float);
    Arrays arrays;
    const std::int64_t each = std::max(kGranule, footprint.count / (reads + writes) / kGranule * kGranule);
    arrays.elements_ = static_cast<std::size_t>(each) / sizeof(float);
    for (int i = 0; i < reads + writes; ++i) {
      FL_TRY(host::GuardedMemory memory, host::GuardedMemory::create({each}));
      (i < reads ? arrays.reads_ : arrays.writes_).push_back(reinterpret_cast<float*>(memory.data()));
      arrays.memory_.push_back(std::move(memory));
    }
    pool.run(pool.size(), [&](int thread) {
      const auto [begin, end] = arrays.part(thread, pool.size());
      for (float* array : arrays.reads_) std::fill(array + begin, array + end, 1.0F);
      for (float* array : arrays.writes_) std::fill(array + begin, array + end, 0.0F);
    });
    return arrays;
  }

  std::pair<std::size_t, std::size_t> part(int thread, int threads) const {
    const std::size_t blocks = elements_ / 64;
    const auto at = [&](int t) { return blocks * static_cast<std::size_t>(t) / static_cast<std::size_t>(threads) * 64; };
    return {at(thread), at(thread + 1)};
  }
  const float* const* reads() const { return reads_.data(); }
  float* const* writes() const { return writes_.data(); }
  double bytes() const { return static_cast<double>(elements_ * sizeof(float) * memory_.size()); }

 private:
  std::vector<host::GuardedMemory> memory_;
  std::vector<float*> reads_;
  std::vector<float*> writes_;
  std::size_t elements_ = 0;
};

// The mix as one measurement runs it.
struct Mix {
  const StreamKernels& kernels;
  int reads;
  int writes;
  int kind;  // 1: non-temporal
};

float all_at_once(const Mix& mix, const Arrays& arrays, std::size_t begin, std::size_t end) {
  return mix.kernels.streams[mix.reads][mix.writes][mix.kind](arrays.reads(), arrays.writes(), begin, end);
}

// Reads first and then writes one result after the other, as a kernel over rows does: memory serves such phases faster than streams
// that alternate.
float in_phases(const Mix& mix, const Arrays& arrays, std::size_t begin, std::size_t end) {
  float kept = 0;
  for (std::size_t at = begin; at < end; at += kPhase) {
    const std::size_t stop = std::min(end, at + kPhase);
    kept += mix.kernels.streams[mix.reads][0][0](arrays.reads(), arrays.writes(), at, stop);
    for (int w = 0; w < mix.writes; ++w) {
      kept += mix.kernels.streams[0][1][mix.kind](arrays.reads(), arrays.writes() + w, at, stop);
    }
  }
  return kept;
}

using MixFunction = float (*)(const Mix&, const Arrays&, std::size_t, std::size_t);

Summary mix_rate(ThreadPool& pool, const Arrays& arrays, const Mix& mix, int threads, MixFunction function, double nanoseconds) {
  // Small arrays are streamed several times a turn: starting the pool's turn costs as much as streaming a first-level cache.
  const int passes = static_cast<int>(std::max(1.0, kWorthATurn / arrays.bytes()));
  return sample_rate(passes * arrays.bytes(), nanoseconds, [&] {
    pool.run(threads, [&](int thread) {
      const auto [begin, end] = arrays.part(thread, threads);
      for (int pass = 0; pass < passes; ++pass) {
        volatile float kept = function(mix, arrays, begin, end);
        static_cast<void>(kept);
      }
    });
  });
}

const Summary& better(const Summary& a, const Summary& b) {
  return a.p90 < b.p90 ? b : a;
}

// A loop as anybody would write it, or the library's word for it, over the first array that is read and the first that is written.
// The compiler knows such loops and must not make one a call of the other.
using Witness = float (*)(const float* from, float* to, std::size_t begin, std::size_t end);

float library_copy(const float* from, float* to, std::size_t begin, std::size_t end) {
  std::memcpy(to + begin, from + begin, (end - begin) * sizeof(float));
  return 0;
}

float plain_copy(const float* from, float* to, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) to[i] = from[i] + 1.0F;
  return 0;
}

float library_search(const float* from, float*, std::size_t begin, std::size_t end) {
  constexpr int kNowhere = 0xff;  // no byte of 1.0F
  return std::memchr(from + begin, kNowhere, (end - begin) * sizeof(float)) == nullptr ? 0.0F : 1.0F;
}

float plain_sum(const float* from, float*, std::size_t begin, std::size_t end) {
  constexpr std::size_t kSums = 64;
  float sums[kSums] = {};
  for (std::size_t at = begin; at < end; at += kSums) {
    for (std::size_t i = 0; i < kSums; ++i) sums[i] += from[at + i];
  }
  return std::accumulate(sums, sums + kSums, 0.0F);
}

float library_fill(const float*, float* to, std::size_t begin, std::size_t end) {
  std::memset(to + begin, 0, (end - begin) * sizeof(float));
  return 0;
}

float plain_fill(const float*, float* to, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) to[i] = 1.0F;
  return 0;
}

std::array<Witness, 2> witnesses_of(int reads, int writes) {
  if (writes == 0) return {library_search, plain_sum};
  if (reads == 0) return {library_fill, plain_fill};
  return {library_copy, plain_copy};
}

// The better of the mix's two witnesses, which walk through all of its arrays: fewer may lie in a cache that the mix exceeds. An
// array that is walked through again, where reads and writes are not as many, counts once: no rate is made higher by it.
Summary witness_rate(ThreadPool& pool, const Arrays& arrays, int threads, int reads, int writes, double nanoseconds) {
  const auto rate_of = [&](Witness witness) {
    return sample_rate(arrays.bytes(), nanoseconds / 2, [&] {
      pool.run(threads, [&](int thread) {
        const auto [begin, end] = arrays.part(thread, threads);
        for (int array = 0; array < std::max(reads, writes); ++array) {
          const float* const from = reads > 0 ? arrays.reads()[array % reads] : nullptr;
          float* const to = writes > 0 ? arrays.writes()[array % writes] : nullptr;
          volatile float kept = witness(from, to, begin, end);
          static_cast<void>(kept);
        }
      });
    });
  };
  const auto [library, plain] = witnesses_of(reads, writes);
  const Summary by_library = rate_of(library);
  return better(rate_of(plain), by_library);
}

}  // namespace

Result<std::vector<Ceiling>> measure_stream_ceilings(ThreadPool& pool, int reads, int writes, Bytes footprint, double seconds) {
  if (reads < 0 || writes < 0 || reads + writes == 0) return invalid_argument("a stream mix needs at least one stream");
  reads = std::min(reads, kMostStreams);
  writes = std::min(writes, kMostStreams);
  FL_TRY(Arrays arrays, Arrays::create(pool, reads, writes, footprint));
  const std::vector<int> counts = thread_counts(pool);
  const int kinds = writes > 0 ? 2 : 1;
  const bool phased = reads + writes > 1;
  const double share = seconds * 1e9 / static_cast<double>(counts.size()) / (kinds + 1);  // the witnesses' too
  const host::PinnedScope pinned(pool.cpus().front());
  const StreamKernels& kernels = best_kernels();
  std::vector<Ceiling> rows;
  for (int threads : counts) {
    std::vector<Summary> rates;
    for (int kind = 0; kind < kinds; ++kind) {
      const Mix mix{kernels, reads, writes, kind};
      Summary rate = mix_rate(pool, arrays, mix, threads, all_at_once, phased ? share / 2 : share);
      if (phased) rate = better(rate, mix_rate(pool, arrays, mix, threads, in_phases, share / 2));
      rates.push_back(rate);
    }
    // A ceiling that a witness beats is none: the best store kind takes its rate.
    const Summary witness = witness_rate(pool, arrays, threads, reads, writes, share);
    Summary& best = *std::max_element(rates.begin(), rates.end(), [](const auto& a, const auto& b) { return a.p90 < b.p90; });
    best = better(best, witness);
    for (int kind = 0; kind < kinds; ++kind) {
      const Summary& rate = rates[static_cast<std::size_t>(kind)];
      rows.push_back({"stream", reads, writes, kind == 1, footprint, threads, rate.p90, rate.median, rate.maximum});
    }
  }
  return rows;
}

Result<std::vector<Ceiling>> measure_flop_ceilings(ThreadPool& pool, double seconds) {
  const StreamKernels& kernels = best_kernels();
  struct Arithmetic {
    const char* kind;
    FlopFunction run;
    double per_round;
  };
  const Arithmetic rates[] = {{"flops", kernels.flops, kernels.flops_per_round},
                              {"flops-f64", kernels.flops_f64, kernels.flops_f64_per_round}};
  const std::vector<int> counts = thread_counts(pool);
  const double share_ns = seconds * 1e9 / static_cast<double>(counts.size() * std::size(rates));
  constexpr std::size_t kRounds = 20'000;
  const host::PinnedScope pinned(pool.cpus().front());
  std::vector<Ceiling> rows;
  for (const Arithmetic& arithmetic : rates) {
    for (int threads : counts) {
      const Summary rate = sample_rate(arithmetic.per_round * kRounds * threads, share_ns, [&] {
        pool.run(threads, [&](int thread) {
          volatile float kept = arithmetic.run(kRounds, static_cast<float>(thread));
          static_cast<void>(kept);
        });
      });
      rows.push_back({arithmetic.kind, 0, 0, false, {0}, threads, rate.p90, rate.median, rate.maximum});
    }
  }
  return rows;
}

}  // namespace fuselab::cpu

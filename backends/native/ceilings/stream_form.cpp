// SPDX-License-Identifier: Apache-2.0
#include "backends/native/ceilings/stream_form.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "backends/native/ceilings/usable_kernels.h"

namespace fuselab::cpu {
namespace {

constexpr double kWorthATurn = 1 << 20;  // bytes
constexpr std::size_t kPhase = 16'384;   // elements of each stream: what a first or second cache holds of a few streams
constexpr std::size_t kStep = 64;        // elements that a kernel moves in a turn

float all_at_once(const StreamForm& form, const StreamArrays& arrays, std::size_t begin, std::size_t end) {
  const auto kernel = best_stream_kernels().streams[arrays.reads().size()][arrays.writes().size()][form.nontemporal ? 1 : 0];
  return kernel(arrays.reads().data(), arrays.writes().data(), begin, end);
}

// Reads first and then writes one result after the other, as a kernel over rows does: memory serves such phases faster than streams
// that alternate.
float in_phases(const StreamForm& form, const StreamArrays& arrays, std::size_t begin, std::size_t end) {
  const StreamKernels& kernels = best_stream_kernels();
  float kept = 0;
  for (std::size_t at = begin; at < end; at += kPhase) {
    const std::size_t stop = std::min(end, at + kPhase);
    kept += kernels.streams[arrays.reads().size()][0][0](arrays.reads().data(), nullptr, at, stop);
    for (std::size_t w = 0; w < arrays.writes().size(); ++w) {
      kept += kernels.streams[0][1][form.nontemporal ? 1 : 0](nullptr, arrays.writes().data() + w, at, stop);
    }
  }
  return kept;
}

// Walks through several places of each array at once: more requests are under way than one walk's prefetching asks for.
template <std::size_t kPlaces>
float places_at_once(const StreamForm& form, const StreamArrays& arrays, std::size_t begin, std::size_t end) {
  const std::size_t length = (end - begin) / kPlaces / kStep * kStep;
  std::array<const float*, kMostStreams> reads{};
  std::array<float*, kMostStreams> writes{};
  for (std::size_t place = 0; place < kPlaces; ++place) {
    for (std::size_t r = 0; r < arrays.reads().size(); ++r) reads[r * kPlaces + place] = arrays.reads()[r] + begin + place * length;
    for (std::size_t w = 0; w < arrays.writes().size(); ++w)
      writes[w * kPlaces + place] = arrays.writes()[w] + begin + place * length;
  }
  const auto kernel =
      best_stream_kernels().streams[arrays.reads().size() * kPlaces][arrays.writes().size() * kPlaces][form.nontemporal ? 1 : 0];
  const float kept = kernel(reads.data(), writes.data(), 0, length);
  return kept + all_at_once(form, arrays, begin + kPlaces * length, end);
}

// A loop as anybody would write it, or the library's word for it, over the first array that is read and the first that is written.
// The compiler knows such loops and must not make one a call of the other.
using Loop = float (*)(const float* from, float* to, std::size_t begin, std::size_t end);

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

// Walks through all of the mix's arrays: fewer may lie in a cache that the mix exceeds. An array that is walked through again,
// where reads and writes are not as many, counts once: no rate is made higher by it.
float by_loop(Loop loop, const StreamArrays& arrays, std::size_t begin, std::size_t end) {
  const std::size_t reads = arrays.reads().size(), writes = arrays.writes().size();
  float kept = 0;
  for (std::size_t array = 0; array < std::max(reads, writes); ++array) {
    const float* const from = reads > 0 ? arrays.reads()[array % reads] : nullptr;
    float* const to = writes > 0 ? arrays.writes()[array % writes] : nullptr;
    kept += loop(from, to, begin, end);
  }
  return kept;
}

float by_library(const StreamForm&, const StreamArrays& arrays, std::size_t begin, std::size_t end) {
  const Loop loop = arrays.writes().empty() ? library_search : arrays.reads().empty() ? library_fill : library_copy;
  return by_loop(loop, arrays, begin, end);
}

float by_plain_loop(const StreamForm&, const StreamArrays& arrays, std::size_t begin, std::size_t end) {
  const Loop loop = arrays.writes().empty() ? plain_sum : arrays.reads().empty() ? plain_fill : plain_copy;
  return by_loop(loop, arrays, begin, end);
}

}  // namespace

std::string StreamForm::text() const {
  return name + (nontemporal ? ", bypassing caches" : "") + (pages == Pages::kHuge ? ", huge pages" : "");
}

std::vector<StreamForm> stream_forms(int reads, int writes) {
  const int most = std::max(reads, writes);
  std::vector<StreamForm> forms;
  for (const bool nontemporal : {false, true}) {
    if (nontemporal && writes == 0) break;
    forms.push_back({"together", nontemporal, all_at_once});
    if (reads > 0 && reads + writes > 1) forms.push_back({"in phases", nontemporal, in_phases});
    if (most * 2 <= kMostStreams) forms.push_back({"2 places at once", nontemporal, places_at_once<2>});
    if (most * 4 <= kMostStreams) forms.push_back({"4 places at once", nontemporal, places_at_once<4>});
    if (nontemporal) break;
    forms.push_back({"library", false, by_library});
    forms.push_back({"plain loop", false, by_plain_loop});
  }
  return forms;
}

StreamForm stream_form_named(const std::string& text, int reads, int writes) {
  const std::vector<StreamForm> forms = stream_forms(reads, writes);
  for (StreamForm form : forms) {
    for (const Pages pages : {Pages::kUsual, Pages::kHuge}) {
      form.pages = pages;
      if (form.text() == text) return form;
    }
  }
  return forms.front();
}

void stream(ThreadPool& pool, int threads, const StreamForm& form, const StreamArrays& arrays, int passes) {
  pool.run(threads, [&](int thread) {
    const auto [begin, end] = arrays.part(thread, threads);
    for (int pass = 0; pass < passes; ++pass) {
      volatile float kept = form.pass(form, arrays, begin, end);
      static_cast<void>(kept);
    }
  });
}

int passes_of(const StreamArrays& arrays) {
  return static_cast<int>(std::max(1.0, kWorthATurn / arrays.bytes()));
}

}  // namespace fuselab::cpu

// SPDX-License-Identifier: Apache-2.0
#include "backends/native/ceilings/stream_ceilings.h"

#include <algorithm>

#include "backends/host/pinned_scope.h"
#include "backends/native/ceilings/rate_sample.h"
#include "backends/native/ceilings/stream_form.h"
#include "backends/native/ceilings/stream_kernels.h"

namespace fuselab::cpu {
namespace {

constexpr double kHugePage = 2 << 20;  // bytes: smaller arrays have none
constexpr std::size_t kFinalists = 2;  // of each store kind

// The arrays with the usual pages and, where they are large enough, with huge ones.
struct Mix {
  ThreadPool& pool;
  std::vector<StreamArrays> arrays;  // by Pages

  const StreamArrays& of(const StreamForm& form) const { return arrays[form.pages == Pages::kHuge ? 1 : 0]; }
  void move(const StreamForm& form, int threads) const { stream(pool, threads, form, of(form), passes_of(of(form))); }
  double bytes_of_move(const StreamForm& form) const { return passes_of(of(form)) * of(form).bytes(); }
};

struct Standing {
  StreamForm form;
  double rate = 0;
};

std::vector<StreamForm> forms_of(const Mix& mix, int reads, int writes, bool nontemporal) {
  std::vector<StreamForm> forms = stream_forms(reads, writes);
  std::erase_if(forms, [&](const StreamForm& form) { return form.nontemporal != nontemporal; });
  const std::size_t usual = forms.size();
  for (std::size_t i = 0; mix.arrays.size() > 1 && i < usual; ++i) forms.emplace_back(forms[i]).pages = Pages::kHuge;
  return forms;
}

// The form that is fastest, with its rate. All run twice; only the best of those are sampled, since a pass through a large mix
// takes as long as many kernels.
Ceiling fastest(const Mix& mix, const std::vector<StreamForm>& forms, int threads, double nanoseconds) {
  std::vector<Standing> standings;
  for (const StreamForm& form : forms)
    standings.push_back({form, glimpse_rate(mix.bytes_of_move(form), [&] { mix.move(form, threads); })});
  std::sort(standings.begin(), standings.end(), [](const auto& a, const auto& b) { return a.rate > b.rate; });
  standings.resize(std::min(standings.size(), kFinalists));
  Ceiling best;
  for (const Standing& standing : standings) {
    const Summary rate = sample_rate(mix.bytes_of_move(standing.form), nanoseconds / static_cast<double>(standings.size()),
                                     [&] { mix.move(standing.form, threads); });
    if (rate.p90 <= best.per_second) continue;
    best.per_second = rate.p90;
    best.low = rate.median;
    best.high = rate.maximum;
    best.form = standing.form.text();
  }
  return best;
}

}  // namespace

Result<std::vector<Ceiling>> measure_stream_ceilings(ThreadPool& pool, int reads, int writes, Bytes footprint, double seconds) {
  if (reads < 0 || writes < 0 || reads + writes == 0) return invalid_argument("a stream mix needs at least one stream");
  reads = std::min(reads, kMostStreams);
  writes = std::min(writes, kMostStreams);
  Mix mix{pool, {}};
  const bool has_huge_pages = static_cast<double>(footprint.count) / (reads + writes) >= 2 * kHugePage;
  for (const Pages pages : {Pages::kUsual, Pages::kHuge}) {
    if (pages == Pages::kHuge && !has_huge_pages) break;
    FL_TRY(StreamArrays arrays, StreamArrays::create(pool, reads, writes, footprint, pages));
    mix.arrays.push_back(std::move(arrays));
  }
  const std::vector<int> counts = thread_counts(pool);
  const int kinds = writes > 0 ? 2 : 1;
  const double share = seconds * 1e9 / static_cast<double>(counts.size()) / kinds;
  const host::PinnedScope pinned(pool.first_cpu());
  std::vector<Ceiling> rows;
  for (const int threads : counts) {
    for (int kind = 0; kind < kinds; ++kind) {
      Ceiling& row = rows.emplace_back(fastest(mix, forms_of(mix, reads, writes, kind == 1), threads, share));
      row.kind = "stream";
      row.read_streams = reads;
      row.write_streams = writes;
      row.nontemporal = kind == 1;
      row.footprint = footprint;
      row.threads = threads;
    }
  }
  return rows;
}

}  // namespace fuselab::cpu

// SPDX-License-Identifier: Apache-2.0
#include "app/worker/block/cold_marker.h"

#include <numeric>
#include <utility>

#include "core/base/random.h"
#include "core/platform/system/clock.h"

namespace fuselab::worker {
namespace {

// The first lines of a page are no marks: they are read to have the page's address at hand, which a processor may take for the
// beginning of a stream.
constexpr std::size_t kFirstMark = 8;

std::vector<std::size_t> shuffled(std::size_t first, std::size_t end, SeededRandom& random) {
  std::vector<std::size_t> order(end - first);
  std::iota(order.begin(), order.end(), first);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

}  // namespace

ColdMarker::ColdMarker() : pages_(kPages) {
  SeededRandom random(1);
  std::vector<std::vector<std::size_t>> marks;  // by page: its line in each turn
  for (std::size_t page = 0; page < kPages; ++page) marks.push_back(shuffled(kFirstMark, kLines, random));
  for (std::size_t turn = 0; turn < kTurns; ++turn) {
    std::vector<Line*> lines;
    for (const std::size_t page : shuffled(0, kPages, random)) lines.push_back(&pages_[page].lines[marks[page][turn]]);
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i]->next = lines[(i + 1) % lines.size()];
    turns_[turn].assign(lines.begin(), lines.end());
  }
}

void ColdMarker::empty() const {
  for (const Line* line : turns_[turn_]) empty_from_caches(std::as_bytes(std::span(line, 1)));
}

// Reads one line of each page, to load the page's address: the emptied caches do not hold that either, and the look-up would be
// counted as reading the marks.
void ColdMarker::open_pages() const {
  const Line* seen = nullptr;
  for (const Page& page : pages_) {
    seen = page.lines.front().next;
    keep(seen);
  }
}

double ColdMarker::time_lines() const {
  const Line* line = turns_[turn_].front();
  const double start = platform::monotonic_now().count;
  for (std::size_t i = 0; i < kPages; ++i) line = line->next;
  keep(line);
  return (platform::monotonic_now().count - start) / static_cast<double>(kPages);
}

void ColdMarker::mark() {
  turn_ = (turn_ + 1) % kTurns;
  open_pages();
  empty();
  now_.memory = time_lines();
  now_.warm = time_lines();
}

void ColdMarker::look() {
  open_pages();
  now_.after = time_lines();
  reads_.push_back(now_);
}

}  // namespace fuselab::worker

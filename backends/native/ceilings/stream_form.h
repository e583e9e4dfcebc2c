// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "backends/native/ceilings/stream_arrays.h"
#include "backends/native/threads/thread_pool.h"

namespace fuselab::cpu {

// One way to move a mix of streams. Processors differ in which is the fastest, and that one is the ceiling.
struct StreamForm {
  // Moves the elements [begin, end) of all arrays once. The result depends on everything that was read.
  using Pass = float (*)(const StreamForm& form, const StreamArrays& arrays, std::size_t begin, std::size_t end);

  std::string name;  // "together", "in phases", "4 places at once", "library", "plain loop"
  bool nontemporal = false;
  Pass pass = nullptr;
  Pages pages = Pages::kUsual;

  // "together, bypassing caches, huge pages": what Ceiling::form says.
  std::string text() const;
};

// Returns the forms that this mix can take with the usual pages, those of plain stores first. At most four arrays are read and four
// written.
std::vector<StreamForm> stream_forms(int reads, int writes);
// Returns the form that says this text, or the mix's first where none does.
StreamForm stream_form_named(const std::string& text, int reads, int writes);

// Moves all arrays `passes` times with so many threads.
void stream(ThreadPool& pool, int threads, const StreamForm& form, const StreamArrays& arrays, int passes);
// Returns how many passes are worth a turn of the pool: starting one costs as much as streaming a first-level cache.
int passes_of(const StreamArrays& arrays);

}  // namespace fuselab::cpu

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "app/views/profile_view.h"
#include "profiler/trace/trace_recorder.h"

namespace fuselab::gui::test {

// A profile with something in every part: levels, loops, source with its instructions, a kernel of a GPU, counters with and without
// values, sizes, what fusion gains and a verdict. Made up, deterministic.
engine::ProfileView canned_profile();
// The timeline of its making: two threads, launches and what lies around them.
// The same with a second function, at some of the same addresses.
engine::ProfileView canned_profile_of_two_functions();
std::shared_ptr<TraceRecorder> canned_timeline();

}  // namespace fuselab::gui::test

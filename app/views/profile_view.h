// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/profile/profile.h"

namespace fuselab::engine {

// What the faces show of a profile: the facts, and the source text that its lines refer to. Immutable; no handles.
struct ProfileView {
  std::string model, binding, level;
  Profile profile;
  std::vector<std::string> sources;  // one text a step of the plan
  std::string not_stored;            // why new answers of collectors were not stored; empty: they were, or there were none
};

// A table of words, which every face lays out its own way.
struct WordTable {
  std::vector<std::string> titles;
  std::vector<std::vector<std::string>> rows;
};

// One line of figures: "Compute bound (FMA port 0): 53 % of the FP32 peak · L1 12 % · L2 10 %".
std::string headline_words(const Profile& profile);
// The levels of the roofline, with launches and arithmetic: what each allows and the share of the measured time.
WordTable standing_words(const Profile& profile);
// The loops worth reading: the hottest first, at most so many.
WordTable loop_words(const Profile& profile, std::size_t most);
// What compilers and drivers report of each kernel, and what follows from it.
WordTable kernel_words(const Profile& profile);
// What limits each kernel on a multiprocessor, and the metrics that nobody reports.
std::vector<std::string> kernel_lines(const Profile& profile);
// Every metric that has a value, with what is normal.
WordTable metric_words(const Profile& profile);
// The metrics without a value, those of one reason in a line.
std::vector<std::string> uncounted_words(const Profile& profile);
WordTable sweep_words(const Profile& profile);
WordTable split_words(const Profile& profile);
// Two plans side by side: a row for each figure that both or one of them has.
WordTable compared_words(const Profile& a, const Profile& b);
// What each collector cost, and what it did to the launches beside it.
std::vector<std::string> collector_words(const Profile& profile);

// "1.82 ms [1.79, 1.86]"; empty where it was not measured.
std::string measured_words(const Profile& profile);

}  // namespace fuselab::engine

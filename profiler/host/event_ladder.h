// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "profiler/host/counter_source.h"

namespace fuselab::profile {

// Events that are counted together, and the metric that each is: an empty name belongs to an event that others are divided by.
struct EventGroup {
  std::string rung;  // "top-down", "generic", "software"
  std::vector<Event> events;
  std::vector<std::string> metrics;  // of the vocabulary, one an event; several of "flops" are added with their factors
  std::vector<double> factors;
};

// A group that could be opened and is open, and those that could not, with reasons.
struct OpenedGroup {
  int number = 0;
  EventGroup group;
};
struct RefusedGroup {
  EventGroup group;
  Error why;
};
struct Ladder {
  std::string rung;  // the highest that opened; empty: none
  std::vector<std::string> passed_over;
  std::vector<OpenedGroup> opened;
  std::vector<RefusedGroup> refused;
};

// Opens every group that the machine has: what is available is found by trying, never by the processor's name. Only the encoding of
// FLOPs, which no PMU lists and which differs between vendors, follows the vendor that the processor itself names.
Ladder climb(CounterSource& source);

// Returns why counting was refused, in words that help: the kernel's setting, or a virtual machine without a PMU.
std::string refusal_text(CounterSource& source, const Error& why);

}  // namespace fuselab::profile

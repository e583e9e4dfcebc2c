// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "profiler/host/counter_source.h"

namespace fuselab::profile {

// Returns the event that the processor's own PMU lists under this name in sysfs ("slots", "topdown-retiring"), or nothing where it
// has no PMU or none such event. Hybrid processors list theirs under cpu_core.
std::optional<Event> listed_event(CounterSource& source, std::string_view name);

// Reads "event=0x00,umask=0x4" by the bits that the PMUs of x86 give these words; nothing for words that it does not know.
std::optional<std::uint64_t> read_event_config(std::string_view text);

}  // namespace fuselab::profile

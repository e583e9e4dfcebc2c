// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/backend/backend_names.h"
#include "core/backend/device_info.h"
#include "core/backend/registry.h"
#include "core/base/units.h"

namespace fuselab {

// Asks one backend all that a user wants to know before choosing: whether it is usable or why not, its devices, its capabilities.
// Touches the vendor's stack; may block as long as that does.
BackendReport report_on(FusionBackend& backend);

// Calls report_on() for every registered backend, in their order (R98).
std::vector<BackendReport> discover(const BackendRegistry& registry);

// Returns the first usable backend in auto_order() that has a device, or nothing (R98). Synthetic devices never count, and the
// host's processor through another backend than cpu only counts where there is nothing else.
std::optional<std::string> best_available_backend(std::span<const BackendReport> reports);

// Returns the summary (R99): "=== Available Backends ===", a ✓ or ✗ line each with devices or the reason, below it the backends
// that reach targets without a device, "Recommended backend: X".
std::string summary_text(std::span<const BackendReport> reports);

// Returns the ids of the usable backends (R126).
std::vector<std::string> available_backends(std::span<const BackendReport> reports);
bool is_backend_available(std::span<const BackendReport> reports, std::string_view id);

// The backend chosen for a preference, and the reason where it is not the preferred one.
struct BackendChoice {
  std::string id;
  bool fell_back = false;
  std::string reason;  // "cuda is not available (libcuda.so.1 not found); cpu is the next in the automatic order"
};

// Chooses a backend (R95-R97): kAuto takes the automatic order; kCpu forces the CPU; the others are preferred and fall back to the
// automatic order.
Result<BackendChoice> choose_backend(BackendPreference preference, std::span<const BackendReport> reports);

// Chooses the requested backend, else the first available fallback (R122-R125).
// Fails with "No available backend from [cuda, mps]", or without fallbacks "Backend 'cuda' not available. Available: [cpu]".
Result<BackendChoice> choose_backend(std::string_view requested, std::span<const std::string> fallbacks,
                                     std::span<const BackendReport> reports);

// Chooses a backend and then checks that its first device has room for `needed` (R102).
Result<BackendChoice> choose_backend_with_memory(BackendPreference preference, Bytes needed,
                                                 std::span<const BackendReport> reports);

}  // namespace fuselab

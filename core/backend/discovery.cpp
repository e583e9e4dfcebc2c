// SPDX-License-Identifier: Apache-2.0
#include "core/backend/discovery.h"

#include <algorithm>
#include <cstdio>

#include "core/backend/footprint.h"
#include "core/base/words.h"

namespace fuselab {
namespace {

const BackendReport* find_report(std::span<const BackendReport> reports, std::string_view id) {
  const auto found =
      std::find_if(reports.begin(), reports.end(), [&](const BackendReport& report) { return same_name(report.id, id); });
  return found == reports.end() ? nullptr : &*found;
}

bool is_usable(const BackendReport& report) {
  return report.availability.usable && !report.devices.empty();
}

bool is_synthetic(const BackendReport& report) {
  return std::all_of(report.devices.begin(), report.devices.end(), [](const DeviceInfo& device) { return device.synthetic; });
}

bool is_host_cpu_again(const BackendReport& report) {
  return std::all_of(report.devices.begin(), report.devices.end(),
                     [](const DeviceInfo& device) { return device.is_host_cpu_again(); });
}

std::string why_not(std::span<const BackendReport> reports, std::string_view id) {
  const auto* report = find_report(reports, id);
  if (report == nullptr) return "not registered";
  if (!report->availability.usable) return report->availability.reason;
  return "no device found";
}

std::string gigabytes(std::int64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f GB", static_cast<double>(bytes) * 1e-9);
  return text;
}

std::string device_line(const DeviceInfo& device) {
  std::string line = "    [" + std::to_string(device.index) + "] " + device.name;
  if (device.synthetic) return line + " (synthetic)\n";
  if (device.total_memory_bytes) {
    line += ": " + gigabytes(*device.total_memory_bytes);
    if (device.free_memory_bytes) line += " (" + gigabytes(*device.free_memory_bytes) + " free)";
  }
  if (device.unified_memory) line += " (unified memory)";
  if (device.is_software()) line += " (software on this CPU)";
  return line + "\n";
}

// Without the letter of a variant, so that sm_90a stands behind sm_90 and before sm_100.
std::size_t length_of_number(const std::string& target) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::size_t size = target.size();
  const bool has_letter = size > 1 && !is_digit(target[size - 1]) && is_digit(target[size - 2]);
  return has_letter ? size - 1 : size;
}

// One line for all targets that reached the same step: "    sm_75, sm_80: generated, compiled by nvrtc 12.9; no such device here".
std::string foreign_lines(const std::map<std::string, std::string>& steps) {
  std::vector<std::pair<std::string, std::string>> lines;  // step, targets
  std::vector<std::pair<std::string, std::string>> sorted(steps.begin(), steps.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](auto& a, auto& b) { return length_of_number(a.first) < length_of_number(b.first); });
  for (const auto& [target, step] : sorted) {
    const auto same = std::find_if(lines.begin(), lines.end(), [&, &wanted = step](auto& line) { return line.first == wanted; });
    if (same == lines.end()) {
      lines.emplace_back(step, target);
    } else {
      same->second += ", " + target;
    }
  }
  std::string text;
  for (const auto& [step, targets] : lines) text.append("    ").append(targets).append(": ").append(step).append("\n");
  return text;
}

CompilerReport report_on_compiler(FusionBackend& backend) {
  Compiler* const compiler = backend.compiler();
  if (compiler == nullptr) return {};
  if (const Availability found = compiler->probe(); !found.usable) return {{}, {}, found.reason};
  const CompilerFingerprint who = compiler->fingerprint();
  return {who.id + " " + who.version, who.file, {}};
}

// What a backend without a device does for the targets that are listed below it.
std::string compile_only_line(const BackendCapabilities& capabilities) {
  if (!capabilities.supports_autotuning) return "";
  std::string types;
  for (const DType dtype : capabilities.dtypes) types += (types.empty() ? "" : ", ") + std::string(name_of(dtype));
  return "    without a device: kernels of " + types + "; `fuselab tune --compile-only --target` ranks their configurations\n";
}

}  // namespace

BackendReport report_on(FusionBackend& backend) {
  BackendReport report;
  report.id = backend.id();
  report.display_name = backend.info().id.empty() ? report.id : backend.info().display_name;
  report.kind = backend.info().id.empty() ? "compute" : backend.info().kind;
  report.availability = backend.probe();
  report.compiler = report_on_compiler(backend);
  if (!report.availability.usable) {
    // Without a device of its own a backend may still compile for others'. Of its operators none is proved.
    if (backend.generator() == nullptr || backend.compiler() == nullptr) return report;
    BackendCapabilities capabilities = backend.capabilities({});
    if (!report.compiler.name.empty() && !capabilities.foreign_targets.empty()) {
      report.capabilities.dtypes = std::move(capabilities.dtypes);
      report.capabilities.supports_autotuning = capabilities.supports_autotuning;
      report.capabilities.supports_jit = capabilities.supports_jit;
    }
    report.capabilities.foreign_targets = std::move(capabilities.foreign_targets);
    return report;
  }
  auto devices = backend.enumerate();
  if (!devices.ok()) {
    report.availability = Availability::unavailable(devices.error().message);
    return report;
  }
  report.devices = std::move(devices).value();
  if (!report.devices.empty()) report.capabilities = backend.capabilities(report.devices.front());
  return report;
}

std::vector<BackendReport> discover(const BackendRegistry& registry) {
  std::vector<BackendReport> reports;
  for (const auto& backend : registry.all()) reports.push_back(report_on(*backend));
  return reports;
}

std::optional<std::string> best_available_backend(std::span<const BackendReport> reports) {
  std::optional<std::string> detour;  // to the processor that cpu drives itself
  for (const auto& id : auto_order()) {
    const auto* report = find_report(reports, id);
    if (report == nullptr || !is_usable(*report) || is_synthetic(*report)) continue;
    if (!is_host_cpu_again(*report)) return report->id;
    if (!detour) detour = report->id;
  }
  return detour;
}

std::string summary_text(std::span<const BackendReport> reports) {
  std::string text = "=== Available Backends ===\n";
  for (const auto& report : reports) {
    if (is_usable(report)) {
      const auto& note = report.availability.reason;  // what is to be known of one that is usable
      text += "✓ " + report.display_name + (note.empty() ? "" : ": " + note) + "\n";
      for (const auto& device : report.devices) text += device_line(device);
    } else {
      text += "✗ " + report.display_name + ": " + why_not(reports, report.id) + "\n" + compile_only_line(report.capabilities);
    }
    text += foreign_lines(report.capabilities.foreign_targets);
  }
  const auto best = best_available_backend(reports);
  return text + "Recommended backend: " + (best ? find_report(reports, *best)->display_name : "none (no backend is usable here)") +
         "\n";
}

std::vector<std::string> available_backends(std::span<const BackendReport> reports) {
  std::vector<std::string> ids;
  for (const auto& report : reports) {
    if (is_usable(report)) ids.push_back(report.id);
  }
  return ids;
}

bool is_backend_available(std::span<const BackendReport> reports, std::string_view id) {
  const auto* report = find_report(reports, id);
  return report != nullptr && is_usable(*report);
}

Result<BackendChoice> choose_backend(BackendPreference preference, std::span<const BackendReport> reports) {
  const auto wanted = id_of(preference);
  if (wanted && is_backend_available(reports, *wanted)) return BackendChoice{std::string(*wanted), false, "as preferred"};
  const auto best = best_available_backend(reports);
  if (wanted && (preference == BackendPreference::kCpu || !best)) {
    return Error{ErrorCode::kUnavailable, "Backend '" + std::string(*wanted) + "' not available (" + why_not(reports, *wanted) +
                                              "). Available: [" + joined(available_backends(reports)) + "]"};
  }
  if (!best) return Error{ErrorCode::kUnavailable, "no backend is usable on this machine; `fuselab devices` says why for each"};
  if (!wanted) return BackendChoice{*best, false, "first usable one in the automatic order"};
  return BackendChoice{*best, true,
                       std::string(*wanted) + " is not available (" + why_not(reports, *wanted) + "); " + *best +
                           " is the next in the automatic order"};
}

Result<BackendChoice> choose_backend(std::string_view requested, std::span<const std::string> fallbacks,
                                     std::span<const BackendReport> reports) {
  if (is_backend_available(reports, requested)) return BackendChoice{find_report(reports, requested)->id, false, "as requested"};
  std::vector<std::string> tried = {std::string(requested)};
  for (const auto& fallback : fallbacks) {
    if (is_backend_available(reports, fallback)) {
      return BackendChoice{find_report(reports, fallback)->id, true,
                           std::string(requested) + " is not available (" + why_not(reports, requested) + "); " + fallback +
                               " is the first available fallback"};
    }
    tried.push_back(fallback);
  }
  const BackendReport* const wanted = find_report(reports, requested);
  const ErrorCode code = wanted == nullptr ? ErrorCode::kUnavailable : wanted->refusal();
  if (fallbacks.empty()) {
    return Error{code, "Backend '" + tried[0] + "' not available. Available: [" + joined(available_backends(reports)) + "]; " +
                           tried[0] + ": " + why_not(reports, requested)};
  }
  for (std::string& each : tried) each += ": " + why_not(reports, each);
  return Error{code, "No available backend from [" + joined(tried, "; ") + "]"};
}

Result<BackendChoice> choose_backend_with_memory(BackendPreference preference, Bytes needed,
                                                 std::span<const BackendReport> reports) {
  FL_TRY(auto choice, choose_backend(preference, reports));
  const auto room = fits(needed, find_report(reports, choice.id)->devices.front());
  if (!room.yes) return Error{ErrorCode::kOutOfMemory, room.why_not};
  return choice;
}

}  // namespace fuselab

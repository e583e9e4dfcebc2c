// SPDX-License-Identifier: Apache-2.0
#include "app/cli/shell/command.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/shell/json_output.h"
#include "app/cli/shell/usage.h"
#include "app/engine/subject/subject.h"
#include "core/base/plain_text.h"

namespace fuselab::cli {
namespace {

constexpr const char* kLevels = "O0|O1|O2|O3|none|conservative|balanced|aggressive";
constexpr const char* kElementTypes = "f32|f64|f16|bf16";

}  // namespace

Result<engine::Engine*> Invocation::engine() {
  if (!opened_) {
    FL_TRY(opened_, engine::Engine::open(config));
  }
  return opened_.get();
}

ExitCode fail(const Invocation& invocation, const Error& error) {
  if (invocation.json) return print_document({{"schema", "fuselab.error/1"}}, error);
  std::fflush(stdout);  // what was printed before stays before
  std::fprintf(stderr, "fuselab: %s\n", plain_text(with_short_words(error.message)).c_str());
  return exit_code_for(error);
}

void say_what_was_taken(const Invocation& invocation, const std::vector<std::string>& subjects) {
  for (const std::string& subject : subjects) {
    const std::string note = engine::note_on_short_name(subject);
    if (!note.empty() && !invocation.quiet) std::fprintf(stderr, "fuselab: %s\n", plain_line(note).c_str());
  }
}

void warn_of_invented(const std::vector<std::string>& weights) {
  if (!weights.empty()) std::fprintf(stderr, "fuselab: warning: %s\n", plain_line(engine::invented_text(weights)).c_str());
}

void add_shape_option(CLI::App& verb, std::vector<std::string>& shapes, const std::string& how_often) {
  verb.add_option("--shape", shapes, "Extents of the named dimensions, e.g. batch=8,seq=128" + how_often)
      ->take_all()
      ->type_name("NAME=N");
}

void add_level_option(CLI::App& verb, std::string& level) {
  verb.add_option("--level", level, "How much may be fused: O0 nothing … O3 most")->type_name(kLevels)->capture_default_str();
}

void add_mode_option(CLI::App& verb, Protocol& protocol) {
  const auto take = [&protocol](const std::string& name) { protocol.mode = parse_cache_mode(name).value(); };
  CLI::Option* const mode = verb.add_option_function<std::string>(
      "--mode", take,
      "warm: buffers as the run before left them; cold: caches emptied before each sample; rotating: each run on another set of "
      "buffers, together beyond the caches; first-launch: the very first run after loading");
  allow_only(*mode->default_str(std::string(name_of(protocol.mode))), "warm|cold|rotating|first-launch");
}

void add_accept_option(CLI::App& verb, Drawbacks& accepted) {
  const auto take = [&accepted](const std::vector<std::string>& names) {
    for (const DrawbackInfo& info : kDrawbacks) {
      if (std::find(names.begin(), names.end(), info.name) != names.end()) accepted.add(info.drawback);
    }
  };
  std::string allowed;
  std::string meanings;
  for (const DrawbackInfo& info : kDrawbacks) {
    allowed += (allowed.empty() ? "" : "|") + std::string(info.name);
    meanings += (meanings.empty() ? "" : "; ") + std::string(info.name) + ": it " + std::string(info.meaning);
  }
  CLI::Option* const accept =
      verb.add_option_function<std::vector<std::string>>("--accept", take, "Choose kernels with this drawback, too. " + meanings);
  allow_only(*accept->take_all()->allow_extra_args(false), allowed);
}

void add_device_options(CLI::App& verb, DeviceChoice& devices, const std::string& what_device) {
  verb.add_option("--device", devices.only, what_device)->take_all()->type_name("NAME");
  verb.add_option("--no-device", devices.except, "Leave this device or backend out; several: repeat")
      ->take_all()
      ->type_name("NAME");
  verb.add_option("--prefer", devices.prefer,
                  "Take this device or backend where several are equal within noise, and list it first; several: best first")
      ->take_all()
      ->type_name("NAME");
}

void add_measured_options(CLI::App& verb, engine::JobSpec& spec, const std::string& what_device) {
  add_device_options(verb, spec.devices, what_device);
  verb.add_option("--dtype", spec.dtype, "Element type of built-in workloads")->type_name(kElementTypes)->capture_default_str();
  add_level_option(verb, spec.level);
  add_mode_option(verb, spec.protocol);
}

void add_stored_options(CLI::App& verb, engine::CompareSpec& spec, const std::string& what_device) {
  verb.add_option("SUBJECT", spec.subjects, "As for run; none: everything that was measured");
  add_shape_option(verb, spec.bindings);
  add_device_options(verb, spec.devices, what_device);
  verb.add_option("--dtype", spec.dtype, "What was measured of this element type (default: as in the newest run)")
      ->type_name(kElementTypes);
  verb.add_option("--level", spec.level, "What was fused at this level (default: as in the newest run)")->type_name(kLevels);
  add_mode_option(verb, spec.protocol);
  add_accept_option(verb, spec.accepted);
}

void add_run_option(CLI::App& verb, engine::CompareSpec& spec) {
  verb.add_option("--run", spec.run,
                  "Figures of this run alone: its name, its id, the beginning of its id, or latest (default: of every run)")
      ->type_name("RUN");
}

void add_wide_flag(CLI::App& verb, bool& wide) {
  verb.add_flag("--wide", wide, "More columns: cold caches, compile time, first launch, best backend per operator without fusion");
}

}  // namespace fuselab::cli

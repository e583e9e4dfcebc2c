// SPDX-License-Identifier: Apache-2.0
#include "app/gate/selftest/selftest_record.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "app/gate/selftest/selftest_json.h"
#include "core/platform/files/atomic_file.h"
#include "core/platform/machine/machine.h"
#include "db/connection/compression.h"

namespace fuselab::engine {
namespace {

using Json = nlohmann::json;

constexpr Bytes kLargestRecord{std::int64_t{512} << 20};
constexpr Bytes kLargestProgram{std::int64_t{1} << 30};

Json json_of(const platform::MachineFacts& machine) {
  Json json = {{"host", machine.host},
               {"cpu_model", machine.cpu_model},
               {"microcode", machine.microcode},
               {"os_kernel", machine.os_kernel},
               {"clock_policy", machine.clock_policy},
               {"smt", machine.smt},
               {"numa_nodes", machine.numa_nodes},
               {"aslr", machine.aslr}};
  if (machine.cpu_quota) json["cpu_quota"] = *machine.cpu_quota;
  return json;
}

// The whole lines of a text, without a last one that was cut off.
struct Lines {
  std::vector<std::string> lines;
  std::uintmax_t whole = 0;
  std::string torn;  // the text after the last whole line
};
Lines lines_of(std::istream& text) {
  Lines read;
  std::string line;
  while (std::getline(text, line) && !text.eof()) {
    read.whole += line.size() + 1;
    read.lines.push_back(std::move(line));
  }
  read.torn = std::move(line);
  return read;
}

Error unreadable(const std::filesystem::path& path, std::size_t line, const std::string& why) {
  return {ErrorCode::kCorrupt, path.string() + ":" + std::to_string(line) + ": " + why};
}

// Checks that a file to be continued was begun by this self-test, even if only a part of its first line was written.
Status check_header(const std::filesystem::path& path, const Lines& read, const std::string& header) {
  if (read.lines.empty() && header.starts_with(read.torn)) return {};
  const std::string first = read.lines.empty() ? read.torn : read.lines.front();
  if (first == header) return {};
  const Json json = Json::parse(first, nullptr, /*allow_exceptions=*/false);
  const bool is_record = json.is_object() && json.value("schema", Json()) == kSelftestSchema;
  if (!is_record) return invalid_argument(path.string() + " is no record of a self-test; name another file");
  return invalid_argument(path.string() +
                          " was begun by another program, with other settings, other kernels or on another device: " + first);
}

// Checks the sizes in a file that may come from anybody, before anything is allocated for them.
bool is_sane(const SelftestSpec& spec) {
  constexpr std::size_t kMost = 1'000'000;
  const auto within = [](int count) { return count >= 0 && static_cast<std::size_t>(count) <= kMost; };
  return within(spec.identical) && within(spec.slowed) && spec.slowdowns.size() * static_cast<std::size_t>(spec.slowed) <= kMost;
}

// Reads the comparisons that follow the first line, and sets the machine that they name last.
Result<std::vector<SelftestTrial>> trials_of(const std::filesystem::path& path, const std::vector<std::string>& lines,
                                             const SelftestSpec& spec, std::string& machine) {
  std::vector<SelftestTrial> trials;
  const std::vector<double> schedule = schedule_of(spec);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const Json json = Json::parse(lines[i], nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded()) return unreadable(path, i + 1, "this line was cut short or damaged");
    try {
      auto trial = trial_of(json, spec);
      if (!trial.ok()) return unreadable(path, i + 1, trial.error().message);
      const bool in_its_place = trial.value().index == static_cast<int>(i) - 1;
      if (!in_its_place) return unreadable(path, i + 1, "a comparison before this one is missing");
      const bool as_registered = i <= schedule.size() && trial.value().slowdown == schedule[i - 1];
      if (!as_registered) return unreadable(path, i + 1, "its seed has another comparison in this place");
      const bool lost = trial.value().alarmed() && !trial.value().confirmation && trial.value().failure.empty();
      if (lost) return unreadable(path, i + 1, "it called a change and keeps neither a confirmation nor why there is none");
      trials.push_back(std::move(trial).value());
      if (json.contains("machine")) machine = json["machine"].dump();
    } catch (const Json::exception&) {
      return unreadable(path, i + 1, "this line was cut short or damaged");
    }
  }
  return trials;
}

// Reads a file as it was written, or as `zstd` compressed it.
Result<std::string> text_of(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return Error{ErrorCode::kNotFound, path.string() + " is not there"};
  FL_TRY(std::vector<std::byte> bytes, platform::read_file(path, kLargestRecord));
  if (db::is_frame(bytes)) {
    auto whole = db::decompress_whole(bytes, kLargestRecord.count);
    if (!whole.ok()) return whole.error().within(path.string());
    bytes = std::move(whole).value();
  }
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

Result<StoredSelftest> read_selftest(const std::filesystem::path& record) {
  FL_TRY(const std::string text, text_of(record));
  std::istringstream stream(text);
  const Lines read = lines_of(stream);
  const Error no_record = invalid_argument(record.string() + ": it is no record of a self-test");
  const Json header = Json::parse(read.lines.empty() ? read.torn : read.lines.front(), nullptr, /*allow_exceptions=*/false);
  if (!header.is_object()) return no_record;
  const std::string schema = header.contains("schema") && header["schema"].is_string() ? header["schema"].get<std::string>() : "";
  const bool other_version = schema.starts_with(kSelftestRecords) && schema != kSelftestSchema;
  if (other_version) {
    return Error{ErrorCode::kUnavailable,
                 record.string() + " is a record of another version of Fuselab (" + schema.substr(0, 40) + "): measure it anew"};
  }
  if (schema != kSelftestSchema) return no_record;
  StoredSelftest stored;
  try {
    stored = registered_in(header);
  } catch (const Json::exception&) {
    return no_record;
  }
  if (!is_sane(stored.spec)) return no_record;
  std::string machine;
  FL_TRY(stored.trials, trials_of(record, read.lines, stored.spec, machine));
  return stored;
}

Result<ContentHash> build_of(const std::filesystem::path& worker_program) {
  IdentityHasher hasher("self-test build");
  for (const std::filesystem::path& program : {std::filesystem::path("/proc/self/exe"), worker_program}) {
    FL_TRY(const std::vector<std::byte> bytes, platform::read_file(program, kLargestProgram));
    hasher.add("program", ContentHash::of(bytes));
  }
  return hasher.finish();
}

Result<SelftestRecord> SelftestRecord::open(const SelftestSpec& spec, const DeviceInfo& device,
                                            const std::vector<SelftestKernel>& kernels,
                                            const std::filesystem::path& worker_program) {
  SelftestRecord record;
  record.path_ = spec.record;
  if (spec.record.empty()) return record;
  FL_TRY(const ContentHash build, build_of(worker_program));
  Json header = registered(spec, device, kernels);
  header["build"] = build.hex();
  std::ifstream present(spec.record, std::ios::binary);
  const Lines read = lines_of(present);
  present.close();
  FL_TRY_VOID(check_header(spec.record, read, header.dump()));
  FL_TRY(record.trials_, trials_of(spec.record, read.lines, spec, record.machine_));
  std::error_code failed;
  if (!read.torn.empty()) std::filesystem::resize_file(spec.record, read.whole, failed);
  record.file_.open(spec.record, std::ios::binary | std::ios::app);
  if (read.lines.empty()) record.file_ << header.dump() << '\n' << std::flush;
  if (failed || !record.file_) return Error{ErrorCode::kIo, "cannot write " + spec.record.string()};
  return record;
}

Status SelftestRecord::append(const SelftestTrial& trial) {
  if (path_.empty()) return {};
  Json json = json_of(trial);
  Json machine = json_of(platform::machine_facts());
  if (machine.dump() != machine_) json["machine"] = machine;
  file_ << json.dump() << '\n' << std::flush;
  if (!file_) return Error{ErrorCode::kIo, "cannot write " + path_.string() + "; what it holds is whole"};
  machine_ = machine.dump();
  return {};
}

}  // namespace fuselab::engine

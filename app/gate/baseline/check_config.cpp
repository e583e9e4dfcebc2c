// SPDX-License-Identifier: Apache-2.0
#include "app/gate/baseline/check_config.h"

#include <algorithm>
#include <set>

#include "app/engine/subject/subject.h"
#include "app/engine/toml/toml_table.h"
#include "core/kernel/launch_config.h"
#include "core/platform/files/atomic_file.h"

namespace fuselab::engine {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestConfig{1 << 20};
constexpr std::size_t kMostCases = 10'000;
constexpr double kMostPercent = 1000, kMostSeconds = 3600;
constexpr Nanoseconds kBudgetOfCommand{30e9};
constexpr double kDetectAboveMargin = 0.04;  // where the file names none: 5 % with the usual margin of 1 %

// Checks a path that the gate is to read. The repository may be of somebody who is not trusted, so nothing outside its folder may
// be read.
Status check_inside(const fs::path& folder, const fs::path& written) {
  if (written.is_absolute()) return invalid_argument("is an absolute path; models lie inside the folder of the file");
  if (std::find(written.begin(), written.end(), fs::path("..")) != written.end())
    return invalid_argument("leaves the folder of the file; models lie inside it");
  std::error_code failed;
  const fs::path root = fs::weakly_canonical(fs::absolute(folder, failed), failed);
  const fs::path real = fs::weakly_canonical(root / written, failed);
  const auto parted = std::mismatch(root.begin(), root.end(), real.begin(), real.end());
  if (failed || parted.first != root.end()) return invalid_argument("is a link out of the folder of the file");
  return {};
}

bool is_path(const fs::path& folder, const std::string& subject) {
  if (subject.rfind("graph", 0) == 0 && subject.find('(') != std::string::npos) return false;
  std::error_code ignored;
  const fs::path written(subject);
  return subject.find('/') != std::string::npos || written.extension() == ".onnx" || fs::is_regular_file(folder / written, ignored);
}

class Reader {
 public:
  Reader(std::string shown, fs::path folder) : shown_(std::move(shown)) {
    config_.folder = std::move(folder);
    common_.dtypes = {JobSpec().dtype};
  }

  Result<CheckConfig> read(const toml::table& root) {
    const TomlTable whole(root, shown_, "the file");
    FL_TRY_VOID(whole.knows_only({"check", "case"}));
    FL_TRY_VOID(read_common(root, whole));
    const toml::node* const node = root.get("case");
    if (node == nullptr) return whole.error_at(1, "there is no [[case]]: name one with subject = \"w5\"");
    const toml::array* const list = node->as_array();
    if (list == nullptr || list->empty() || !list->is_homogeneous(toml::node_type::table))
      return whole.error_of("case", "must be written [[case]], in double brackets");
    if (list->size() > kMostCases) return whole.error_of("case", "appears more than " + std::to_string(kMostCases) + " times");
    for (const toml::node& each : *list) {
      FL_TRY(CheckCase made, read_case(*each.as_table()));
      config_.cases.push_back(std::move(made));
    }
    return std::move(config_);
  }

 private:
  // Reads [check], which applies to every case that does not say otherwise.
  Status read_common(const toml::table& root, const TomlTable& whole) {
    const toml::node* const node = root.get("check");
    if (node == nullptr) return {};
    if (node->as_table() == nullptr) return whole.error_of("check", "must be a table: [check]");
    const TomlTable table(*node->as_table(), shown_, "[check]");
    FL_TRY_VOID(
        table.knows_only({"budget", "margin", "dtypes", "devices", "fail-on", "baseline", "baseline-mode", "selftest", "detect"}));
    FL_TRY_VOID(read_shared(table, common_));
    has_common_budget_ = table.has("budget");
    has_common_detect_ = table.has("detect");
    FL_TRY(const auto fail_on, table.texts("fail-on"));
    if (fail_on) config_.fail_on = *fail_on;
    FL_TRY(config_.baseline, own_file(table, "baseline"));
    FL_TRY(config_.selftest, own_file(table, "selftest"));
    FL_TRY(const auto mode, table.text("baseline-mode"));
    if (!mode) return {};
    const auto parsed = parse_baseline_mode(*mode);
    if (!parsed.ok()) return table.error_of("baseline-mode", "cannot be used: " + parsed.error().message);
    config_.baseline_mode = parsed.value();
    return {};
  }

  // Returns a file in the folder; empty: not set.
  Result<fs::path> own_file(const TomlTable& table, std::string_view key) const {
    FL_TRY(const auto written, table.text(key));
    if (!written) return fs::path();
    const Status inside = check_inside(config_.folder, *written);
    if (!inside.ok()) return table.error_of(key, inside.error().message);
    return config_.folder / *written;
  }

  // Reads the keys that both [check] and [[case]] may have.
  static Status read_shared(const TomlTable& table, CheckCase& into) {
    FL_TRY(const auto margin, table.number("margin", 0, kMostPercent, "percent of the baseline's time"));
    if (margin) into.margin = *margin / 100;
    FL_TRY(const auto detect, table.number("detect", 0, kMostPercent, "percent of the baseline's time"));
    if (detect) into.detect = *detect / 100;
    FL_TRY(const auto budget, table.number("budget", 0, kMostSeconds, "seconds of kernel time"));
    if (budget) into.budget = {*budget * 1e9};
    FL_TRY(const auto dtypes, table.texts("dtypes"));
    for (const std::string& dtype : dtypes.value_or(std::vector<std::string>())) {
      const auto parsed = parse_element_type(dtype);
      if (!parsed.ok()) return table.error_of("dtypes", "cannot be used: " + parsed.error().message);
    }
    if (dtypes) into.dtypes = *dtypes;
    FL_TRY(const auto devices, table.texts("devices"));
    if (devices) into.devices = *devices;
    return {};
  }

  Result<CheckCase> read_case(const toml::table& raw) {
    const TomlTable table(raw, shown_, "[[case]]");
    FL_TRY_VOID(table.knows_only({"name", "subject", "shape", "dtypes", "devices", "config", "margin", "budget", "detect",
                                  "command", "baseline-command", "build", "time", "timeout"}));
    CheckCase made = common_;
    made.where = {shown_, table.line()};
    FL_TRY_VOID(table.has("command") ? read_command(table, made) : read_subject(table, made));
    FL_TRY(const auto name, table.text("name"));
    made.name = name.value_or(made.subject);
    if (!names_.insert(made.name).second) return table.error_at(table.line(), "there are two cases called '" + made.name + "'");
    FL_TRY_VOID(read_shared(table, made));
    if (!has_common_detect_ && !table.has("detect")) made.detect = made.margin + kDetectAboveMargin;
    if (made.detect > made.margin) return made;
    return table.error_at(table.line(), "the case's detect must be above its margin: no smaller change is ever called");
  }

  static Status refuse(const TomlTable& table, std::initializer_list<std::string_view> keys, const char* why) {
    for (const std::string_view key : keys) {
      if (table.has(key)) return table.error_of(key, why);
    }
    return {};
  }

  Status read_subject(const TomlTable& table, CheckCase& made) const {
    FL_TRY_VOID(refuse(table, {"baseline-command", "build", "time", "timeout"}, "goes with a command, and the case has none"));
    FL_TRY(const auto subject, table.text("subject"));
    if (!subject) {
      return table.error_at(table.line(),
                            "[[case]] has no subject, a workload (\"w5\") or a model's path, and no command (\"./bench\")");
    }
    made.subject = *subject;
    if (is_path(config_.folder, *subject)) {
      const Status inside = check_inside(config_.folder, *subject);
      if (!inside.ok()) return table.error_of("subject", inside.error().message);
      made.file = config_.folder / *subject;
    }
    FL_TRY(const auto shape, table.shape("shape"));
    made.shape = shape.value_or("");
    FL_TRY(const auto launch, table.text("config"));
    if (!launch) return {};
    const auto parsed = LaunchConfig::parse(*launch);
    if (!parsed.ok()) return table.error_of("config", "cannot be read: " + parsed.error().message);
    made.launch_config = *launch;
    return {};
  }

  Status read_command(const TomlTable& table, CheckCase& made) const {
    FL_TRY_VOID(refuse(table, {"subject", "shape", "dtypes", "devices", "config"}, "does not go with a command"));
    CommandCase& command = made.command;
    FL_TRY(command.command, line_of(table, "command"));
    FL_TRY(command.baseline, line_of(table, "baseline-command"));
    FL_TRY(command.build, line_of(table, "build"));
    FL_TRY(const auto time, table.text("time"));
    if (time && *time != "whole" && *time != "cpu" && *time != "printed") {
      return table.error_of("time", "is '" + *time +
                                        "'; it may be whole, from the start of the command to its end, cpu, its processor time, or "
                                        "printed, what its line `fuselab: 1.234 ms` says");
    }
    if (time == "cpu") command.time = CommandTime::kProcessor;
    if (time == "printed") command.time = CommandTime::kPrinted;
    FL_TRY(const auto timeout, table.number("timeout", 0, kMostSeconds, "seconds of one run"));
    command.timeout_seconds = timeout.value_or(command.timeout_seconds);
    command.folder = config_.folder;
    made.subject = command.command.text();
    made.devices.clear();
    if (!has_common_budget_) made.budget = kBudgetOfCommand;
    return {};
  }

  static Result<CommandLine> line_of(const TomlTable& table, std::string_view key) {
    FL_TRY(const auto words, table.texts(key));
    const auto text = table.text(key);  // a list is none
    return words ? CommandLine{*words, text.ok()} : CommandLine();
  }

  std::string shown_;
  CheckConfig config_;
  CheckCase common_;
  bool has_common_budget_ = false, has_common_detect_ = false;
  std::set<std::string> names_;
};

}  // namespace

Result<CheckConfig> parse_check_config(std::string_view text, const std::string& shown, const fs::path& folder) {
  FL_TRY(const toml::table table, read_toml(text, shown));
  return Reader(shown, folder.empty() ? fs::path(".") : folder).read(table);
}

Result<CheckConfig> read_check_config(const fs::path& file) {
  return read_check_config(file, file.string());
}

Result<CheckConfig> read_check_config(const fs::path& file, const std::string& shown) {
  std::error_code ignored;
  if (fs::exists(file, ignored) && !fs::is_regular_file(file, ignored)) return invalid_argument(shown + " is no file");
  const auto bytes = platform::read_file(file, kLargestConfig);
  if (!bytes.ok() && bytes.error().code == ErrorCode::kNotFound) {
    return Error{ErrorCode::kInvalidArgument,
                 shown + " is not there: it lists the cases of the gate; `fuselab check --help` has one"};
  }
  if (!bytes.ok()) return Error{ErrorCode::kInvalidArgument, bytes.error().message};
  const std::string_view text(reinterpret_cast<const char*>(bytes.value().data()), bytes.value().size());
  FL_TRY(CheckConfig config, parse_check_config(text, shown, file.parent_path()));
  config.file = file;
  return config;
}

Result<std::vector<CheckCase>> chosen_cases(const CheckConfig& config, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const bool known =
        std::any_of(config.cases.begin(), config.cases.end(), [&](const CheckCase& each) { return each.name == name; });
    if (known) continue;
    std::string all;
    for (const CheckCase& each : config.cases) all += (all.empty() ? "" : ", ") + each.name;
    return Error{ErrorCode::kInvalidArgument, "there is no case '" + name + "'; there are " + all.substr(0, 400)};
  }
  if (names.empty()) return config.cases;
  std::vector<CheckCase> chosen;
  for (const CheckCase& each : config.cases) {
    if (std::find(names.begin(), names.end(), each.name) != names.end()) chosen.push_back(each);
  }
  return chosen;
}

}  // namespace fuselab::engine

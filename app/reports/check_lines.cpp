// SPDX-License-Identifier: Apache-2.0
#include "app/reports/check_lines.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/reports/check_fields.h"
#include "app/reports/json_text.h"
#include "core/base/plain_text.h"

namespace fuselab::reports {
namespace {

using Ordered = nlohmann::ordered_json;  // to write; finding members in it takes too long for a stranger's
using Json = nlohmann::json;

constexpr std::string_view kFamily = "fuselab.check-lines/";
constexpr std::string_view kSchema = "fuselab.check-lines/1";

class Writer {
 public:
  explicit Writer(Ordered& object) : object_(object) {}

  void text(const char* name, const std::string& value) { object_[name] = value; }
  void flag(const char* name, bool value) { object_[name] = value; }
  void later_text(const char* name, const std::string& value) { text(name, value); }
  void later_flag(const char* name, bool value) { flag(name, value); }
  void count(const char* name, std::int64_t value) { object_[name] = value; }
  void amount(const char* name, double value) { object_[name] = json_of_number(value); }
  void bound(const char* name, double value) { object_[name] = json_of_number(value); }
  template <class Value, class Parse>
  void named(const char* name, const Value& value, const Parse&) {
    object_[name] = name_of(value);
  }
  template <class Value, class Visit>
  void object(const char* name, const std::optional<Value>& value, const Visit& visit) {
    if (!value) return;
    Ordered member = Ordered::object();
    Writer inner(member);
    visit(inner, *value);
    object_[name] = std::move(member);
  }
  template <class Value, class Visit>
  void list(const char* name, const std::vector<Value>& values, const Visit& visit) {
    Ordered members = Ordered::array();
    for (const Value& value : values) {
      Writer inner(members.emplace_back(Ordered::object()));
      visit(inner, value);
    }
    object_[name] = std::move(members);
  }
  void pairs(const char* name, const std::vector<std::pair<std::string, std::string>>& values) {
    Ordered& list = object_[name] = Ordered::array();
    for (const auto& [key, value] : values) list.push_back(Ordered::array({key, value}));
  }
  void series(const char* name, const std::vector<std::vector<double>>& values) {
    Ordered& list = object_[name] = Ordered::array();
    for (const std::vector<double>& process : values) {
      Ordered& row = list.emplace_back(Ordered::array());
      for (const double value : process) row.push_back(json_of_number(value));
    }
  }

 private:
  // JSON has no infinity, and the library would write null.
  static Ordered json_of_number(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
  }

  Ordered& object_;
};

// Fills values from one object and keeps the first thing that is wrong; what comes after that is left alone.
class Reader {
 public:
  explicit Reader(const Json& object) : object_(object) {
    if (!object.is_object()) refuse("this is no object");
  }

  void text(const char* name, std::string& value) {
    if (const Json* member = find(name)) {
      if (member->is_string()) {
        value = member->get<std::string>();
      } else {
        refuse(quoted(name) + " is no text");
      }
    }
  }
  void flag(const char* name, bool& value) {
    if (const Json* member = find(name)) {
      if (member->is_boolean()) {
        value = member->get<bool>();
      } else {
        refuse(quoted(name) + " is neither true nor false");
      }
    }
  }
  void later_text(const char* name, std::string& value) {
    if (object_.contains(name)) text(name, value);
  }
  void later_flag(const char* name, bool& value) {
    if (object_.contains(name)) flag(name, value);
  }
  template <class Integer>
  void count(const char* name, Integer& value) {
    const Json* member = find(name);
    if (!member) return;
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<Integer>::max());
    // The library keeps what is not negative as unsigned.
    if (member->is_number_unsigned() && member->get<std::uint64_t>() <= kMost) {
      value = static_cast<Integer>(member->get<std::uint64_t>());
    } else {
      refuse(quoted(name) + " is no count");
    }
  }
  void amount(const char* name, double& value) {
    if (const Json* member = find(name)) {
      if (!take_finite(*member, value) || value < 0) refuse(quoted(name) + " is no finite number of at least 0");
    }
  }
  void bound(const char* name, double& value) {
    const Json* member = find(name);
    if (!member || take_finite(*member, value)) return;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (*member == "inf") {
      value = kInfinity;
    } else if (*member == "-inf") {
      value = -kInfinity;
    } else {
      refuse(quoted(name) + " is no number");
    }
  }
  template <class Value, class Parse>
  void named(const char* name, Value& value, const Parse& parse) {
    std::string word;
    text(name, word);
    if (wrong_) return;
    if (auto parsed = parse(plain_line(word.substr(0, kLongestWord))); parsed.ok()) {
      value = parsed.value();
    } else {
      refuse(quoted(name) + ": " + parsed.error().message);
    }
  }
  template <class Value, class Visit>
  void object(const char* name, std::optional<Value>& value, const Visit& visit) {
    if (wrong_ || !object_.contains(name)) return;
    Reader inner(object_.at(name));
    value.emplace();
    visit(inner, *value);
    if (inner.wrong_) refuse(quoted(name) + ": " + inner.wrong_->message);
  }
  template <class Value, class Visit>
  void list(const char* name, std::vector<Value>& values, const Visit& visit) {
    const Json* list = find(name);
    if (!list) return;
    if (!list->is_array()) return refuse(quoted(name) + " is no list");
    for (const Json& member : *list) {
      Reader inner(member);
      visit(inner, values.emplace_back());
      if (inner.wrong_) return refuse(quoted(name) + ": " + inner.wrong_->message);
    }
  }
  void pairs(const char* name, std::vector<std::pair<std::string, std::string>>& values) {
    const Json* list = find(name);
    if (!list) return;
    if (!list->is_array()) return refuse(quoted(name) + " is no list");
    for (const Json& pair : *list) {
      const bool is_pair = pair.is_array() && pair.size() == 2 && pair[0].is_string() && pair[1].is_string();
      if (!is_pair) return refuse(quoted(name) + " holds what is no pair of texts");
      values.emplace_back(pair[0].get<std::string>(), pair[1].get<std::string>());
    }
  }
  void series(const char* name, std::vector<std::vector<double>>& values) {
    const Json* list = find(name);
    if (!list) return;
    if (!list->is_array()) return refuse(quoted(name) + " is no list");
    for (const Json& row : *list) {
      if (!row.is_array()) return refuse(quoted(name) + " holds what is no list");
      std::vector<double>& process = values.emplace_back();
      for (const Json& number : row) {
        if (!take_finite(number, process.emplace_back())) return refuse(quoted(name) + " holds what is no finite number");
      }
    }
  }
  void refuse(std::string why) {
    if (!wrong_) wrong_ = Error{ErrorCode::kCorrupt, std::move(why)};
  }
  Status status() const { return wrong_ ? Status(*wrong_) : Status(); }

 private:
  static constexpr std::size_t kLongestWord = 40;  // of a stranger's, in our errors

  static std::string quoted(const char* name) { return "'" + std::string(name) + "'"; }
  const Json* find(const char* name) {
    if (wrong_) return nullptr;
    const auto found = object_.find(name);
    if (found != object_.end()) return &*found;
    refuse(quoted(name) + " is missing");
    return nullptr;
  }
  // A literal beyond the range of doubles is refused by the parser already.
  static bool take_finite(const Json& number, double& value) {
    if (!number.is_number() || !std::isfinite(number.get<double>())) return false;
    value = number.get<double>();
    return true;
  }

  const Json& object_;
  std::optional<Error> wrong_;
};

std::string line_of(const Ordered& object) {
  return with_escaped_controls(object.dump(-1, ' ', false, Ordered::error_handler_t::replace)) + "\n";
}

// Which line of the file is read, for what is said of it.
struct Line {
  std::size_t number = 0;
  std::string_view text;

  Error corrupt(const std::string& why) const { return {ErrorCode::kCorrupt, "line " + std::to_string(number) + ": " + why}; }
};

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

std::vector<Line> lines_in(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!is_blank(text.substr(0, end))) lines.push_back({number, text.substr(0, end)});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

struct RunLine {
  CheckReport report;
  std::int64_t cases = 0;
};

Result<RunLine> run_of(const Line& line) {
  const Json json = Json::parse(line.text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return line.corrupt("this is no JSON");
  const auto schema = json.is_object() ? json.find("schema") : json.end();
  const bool has_schema = json.is_object() && schema != json.end() && schema->is_string();
  const std::string named = has_schema ? schema->get<std::string>() : "";
  if (!named.starts_with(kFamily))
    return invalid_argument("line " + std::to_string(line.number) + " begins no report of `fuselab check --json-lines`");
  if (named != kSchema) {
    return invalid_argument("line " + std::to_string(line.number) + " is of another version, " + plain_line(named.substr(0, 40)) +
                            "; this Fuselab reads " + std::string(kSchema));
  }
  RunLine run;
  Reader reader(json);
  visit_run(reader, run.report);
  reader.count("cases", run.cases);
  if (const Status read = reader.status(); !read.ok()) return line.corrupt(read.error().message);
  return run;
}

Result<CaseOutcome> outcome_of(const Line& line) {
  const Json json = Json::parse(line.text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return line.corrupt("this is no JSON");
  CaseOutcome outcome;
  Reader reader(json);
  visit_outcome(reader, outcome);
  if (const Status read = reader.status(); !read.ok()) return line.corrupt(read.error().message);
  return outcome;
}

}  // namespace

std::string check_lines_of(const CheckReport& report) {
  Ordered run = {{"schema", kSchema}};
  Writer writer(run);
  visit_run(writer, report);
  writer.count("cases", static_cast<std::int64_t>(report.cases.size()));
  std::string text = line_of(run);
  for (const CaseOutcome& outcome : report.cases) {
    Ordered line = Ordered::object();
    Writer case_writer(line);
    visit_outcome(case_writer, outcome);
    text += line_of(line);
  }
  return text;
}

Result<std::vector<CheckReport>> read_check_lines(std::string_view text) {
  const std::vector<Line> lines = lines_in(text);
  if (lines.empty()) return invalid_argument("there is no report in it");
  std::vector<CheckReport> reports;
  for (std::size_t next = 0; next < lines.size();) {
    const Line& first = lines[next++];
    FL_TRY(RunLine run, run_of(first));
    const auto left = static_cast<std::int64_t>(lines.size() - next);
    if (run.cases > left) {
      return first.corrupt("this run has " + std::to_string(run.cases) + " cases and " + std::to_string(left) +
                           " lines follow: the file was cut off");
    }
    for (std::int64_t i = 0; i < run.cases; ++i) {
      FL_TRY(CaseOutcome outcome, outcome_of(lines[next++]));
      run.report.cases.push_back(std::move(outcome));
    }
    reports.push_back(std::move(run.report));
  }
  return reports;
}

}  // namespace fuselab::reports

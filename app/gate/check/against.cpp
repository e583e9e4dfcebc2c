// SPDX-License-Identifier: Apache-2.0
#include "app/gate/check/against.h"

#include <algorithm>

#include "app/gate/source/repository.h"
#include "core/base/plain_text.h"

namespace fuselab::engine {
namespace {

constexpr std::string_view kAgainstPrefix = "fuselab-against";

// Returns whether the case's model was there then. For a subject that was no file inside the folder then, none of today's files is
// used instead.
bool has_model(const CheckCase& then, const CheckCase& today) {
  if (then.command.is_set()) return true;  // it names no model
  std::error_code ignored;
  if (!then.file.empty()) return std::filesystem::exists(then.file, ignored);
  const bool is_file_today = then.subject == today.subject && !today.file.empty();
  return !is_file_today && !std::filesystem::is_regular_file(then.subject, ignored);
}

}  // namespace

Result<std::unique_ptr<Against>> Against::open(const CheckConfig& today, const std::string& ref, std::stop_token stop) {
  FL_TRY(const std::string commit, commit_named(today.folder, ref, stop));
  FL_TRY(const std::string top, run_git(today.folder, {"rev-parse", "--show-toplevel"}, stop));
  FL_TRY(const std::string inside, run_git(today.folder, {"rev-parse", "--show-prefix"}, stop));
  FL_TRY(WorkingTree tree, WorkingTree::make(kAgainstPrefix, top, commit, std::move(stop)));
  std::unique_ptr<Against> against(new Against(std::move(tree), commit));
  const std::string name = today.file.filename().string();
  const std::filesystem::path file = against->tree_.path() / inside / name;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    against->without_cases_ = Error{ErrorCode::kNotFound, "it has no " + name};
    return against;
  }
  auto cases = read_check_config(file, name);
  if (!cases.ok()) against->without_cases_ = cases.error();
  if (cases.ok()) against->cases_ = std::move(cases).value();
  against->cases_.file = name;
  return against;
}

Result<CheckCase> Against::as_it_was(const CheckCase& today) const {
  if (without_cases_) return *without_cases_;
  const auto then =
      std::find_if(cases_.cases.begin(), cases_.cases.end(), [&](const CheckCase& each) { return each.name == today.name; });
  if (then == cases_.cases.end())
    return Error{ErrorCode::kNotFound, cases_.file.string() + " has no case '" + plain_line(today.name) + "'"};
  if (!has_model(*then, today)) return Error{ErrorCode::kNotFound, plain_line(then->subject) + " is not there"};
  return *then;
}

const GateSubject* counterpart_of(const std::vector<GateSubject>& now, std::size_t place, const std::vector<GateSubject>& then) {
  if (now.size() == 1 && then.size() == 1) return &then.front();
  const auto dtype_of = [](const GateSubject& each) { return each.fused_model.subject.dtype; };
  const std::string dtype = dtype_of(now[place]);
  const auto alike = [&](const GateSubject& each) { return dtype_of(each) == dtype; };
  auto before = std::count_if(now.begin(), now.begin() + static_cast<std::ptrdiff_t>(place), alike);
  for (const GateSubject& each : then) {
    if (alike(each) && before-- == 0) return &each;
  }
  return nullptr;
}

}  // namespace fuselab::engine

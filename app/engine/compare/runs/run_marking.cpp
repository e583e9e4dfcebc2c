// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/runs/run_marking.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>

#include "app/engine/compare/runs/run_choice.h"
#include "core/base/plain_text.h"
#include "db/database.h"

namespace fuselab::engine {
namespace {

constexpr std::size_t kLongestName = 100, kLongestTag = 40, kLongestNote = 4000;  // bytes
constexpr std::size_t kMostTags = 20;

Status must_be_short(const std::string& what, const std::string& text, std::size_t longest) {
  if (text.size() <= longest) return {};
  return invalid_argument("the " + what + " has " + std::to_string(text.size()) + " bytes; at most " + std::to_string(longest) +
                          " are stored: shorten it");
}

Status check_name(const std::string& name) {
  FL_TRY_VOID(must_be_short("name", name, kLongestName));
  if (name != plain_line(name) || (!name.empty() && (name.front() == ' ' || name.back() == ' ')))
    return invalid_argument("the name '" + plain_line(name) +
                            "' is not one line of plain text; leave out line ends, control"
                            " characters and blanks at its ends");
  if (name == kLatestRun) return invalid_argument("'latest' always means the newest run; choose another name");
  return {};
}

Status check_tag(const std::string& tag) {
  FL_TRY_VOID(must_be_short("tag", tag, kLongestTag));
  if (tag.empty() || tag != plain_line(tag) || tag.find_first_of(" ,") != std::string::npos)
    return invalid_argument("the tag '" + plain_line(tag) + "' is no word; write one word without blanks and commas");
  return {};
}

Status check_note(const std::string& note) {
  FL_TRY_VOID(must_be_short("note", note, kLongestNote));
  if (note != plain_text(note)) return invalid_argument("the note has control characters; write plain text");
  return {};
}

// A run is named to be found by its name.
Status must_be_free(const std::vector<ListedRun>& runs, std::size_t of, const std::string& name) {
  for (std::size_t place = 0; place < runs.size(); ++place) {
    if (place != of && !name.empty() && runs[place].run.marks.name == name)
      return invalid_argument("'" + name + "' is the name of another run, " + runs[place].run.id + "; choose another name");
  }
  return {};
}

Result<RunMarks> changed_marks(RunMarks marks, const RunChange& change) {
  if (change.name) FL_TRY_VOID(check_name(*change.name));
  if (change.note) FL_TRY_VOID(check_note(*change.note));
  for (const std::string& tag : change.add_tags) FL_TRY_VOID(check_tag(tag));
  for (const std::string& tag : change.remove_tags) {
    if (std::erase(marks.tags, tag) == 0)
      return Error{ErrorCode::kNotFound, "the run has no tag '" + with_short_words(plain_line(tag)) + "' to remove"};
  }
  marks.tags.insert(marks.tags.end(), change.add_tags.begin(), change.add_tags.end());
  std::sort(marks.tags.begin(), marks.tags.end());
  marks.tags.erase(std::unique(marks.tags.begin(), marks.tags.end()), marks.tags.end());
  if (marks.tags.size() > kMostTags)
    return invalid_argument("the run would have " + std::to_string(marks.tags.size()) + " tags; at most " +
                            std::to_string(kMostTags) + " are stored: remove some");
  marks.name = change.name.value_or(marks.name);
  marks.note = change.note.value_or(marks.note);
  marks.pinned = change.pinned.value_or(marks.pinned);
  return marks;
}

}  // namespace

Result<ChangedRun> change_run(const Config& config, const std::string& run, const RunChange& change) {
  if (config.read_only) return Error{ErrorCode::kUnavailable, config.database.string() + " is open for reading only"};
  std::error_code absent;  // writing would make it
  if (!std::filesystem::exists(config.database, absent))
    return Error{ErrorCode::kNotFound, config.database.string() + ": there is no such database"};
  // What another process changed before it let go of the database counts: opened first, read then.
  FL_TRY(auto database, db::Database::open(config.database, db::Access::kWrite, std::make_shared<db::Trust>(config.key_directory)));
  FL_TRY(auto runs, runs_in(*database, config, /*include_synthetic=*/true, /*written=*/false));
  FL_TRY(const std::size_t place, find_run(runs, run));
  ChangedRun changed{runs[place], {}};
  RunMarks& marks = changed.run.run.marks;
  FL_TRY(marks, changed_marks(marks, change));
  // A merge may have brought a name twice, which keeps nothing else from being changed.
  if (change.name && *change.name != runs[place].run.marks.name) FL_TRY_VOID(must_be_free(runs, place, *change.name));
  StoreBatch batch;
  batch.run_marks.emplace_back(changed.run.run.id, marks);
  for (std::size_t other = 0; other < runs.size() && change.pinned.value_or(false); ++other) {
    if (other == place || !runs[other].run.marks.pinned || runs[other].subjects != changed.run.subjects) continue;
    runs[other].run.marks.pinned = false;
    batch.run_marks.emplace_back(runs[other].run.id, runs[other].run.marks);
    changed.unpinned.push_back(runs[other]);
  }
  FL_TRY_VOID(database->store().commit(batch));
  return changed;
}

}  // namespace fuselab::engine

// SPDX-License-Identifier: Apache-2.0
#include "app/engine/subject/measured_question.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

namespace fuselab::engine {
namespace {

bool has_extents(const std::string& binding, const Bindings& wanted) {
  const auto parsed = parse_bindings(binding);
  if (!parsed.ok()) return false;
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& extent) {
    const auto found = parsed.value().find(extent.first);
    return found != parsed.value().end() && found->second == extent.second;
  });
}

using ModelAtExtents = std::pair<std::string, std::string>;

}  // namespace

std::vector<MeasuredQuestion> measured_questions(const Catalog& catalog, const std::string& host, const std::string& only_run) {
  std::map<std::string, std::set<std::pair<std::string, Question>>> asked;  // by run
  for (const ModelPieceRecord& use : catalog.model_pieces) {
    if (!only_run.empty() && use.run_id != only_run) continue;
    asked[use.run_id].emplace(use.model, Question{use.binding, use.level, use.dtype});
  }

  struct Ranked {
    bool unknown_level, elsewhere;
    MeasuredQuestion measured;
  };
  std::vector<Ranked> ranked;
  for (const RunRecord& run : catalog.runs) {  // newest first
    for (const auto& [model, question] : asked[run.id])
      ranked.push_back({question.level.empty(), run.host != host, {model, question, run.id}});
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    return std::tie(a.unknown_level, a.elsewhere) < std::tie(b.unknown_level, b.elsewhere);
  });
  std::set<std::pair<std::string, Question>> seen;
  std::vector<MeasuredQuestion> questions;
  for (Ranked& entry : ranked) {
    if (seen.emplace(entry.measured.model, entry.measured.question).second) questions.push_back(std::move(entry.measured));
  }
  return questions;
}

bool QuestionFilter::admits(const Question& question) const {
  if (!level.empty() && question.level != level) return false;
  if (!dtype.empty() && !question.dtype.empty() && question.dtype != dtype) return false;
  return any_shape.empty() || std::any_of(any_shape.begin(), any_shape.end(),
                                          [&](const Bindings& wanted) { return has_extents(question.binding, wanted); });
}

std::vector<MeasuredQuestion> choose_questions(const std::vector<MeasuredQuestion>& measured, const QuestionFilter& filter,
                                               bool every_question) {
  std::map<ModelAtExtents, std::vector<MeasuredQuestion>> groups;
  for (const MeasuredQuestion& candidate : measured) {
    if (!filter.admits(candidate.question)) continue;
    auto& group = groups[{candidate.model, candidate.question.binding}];
    if (group.empty() || every_question) group.push_back(candidate);
  }
  std::vector<MeasuredQuestion> chosen;
  for (auto& [model, group] : groups) std::move(group.begin(), group.end(), std::back_inserter(chosen));
  return chosen;
}

std::vector<MeasuredQuestion> choose_questions_of(const std::vector<MeasuredQuestion>& measured, const std::string& model,
                                                  const std::string& binding, const QuestionFilter& filter, bool every_question) {
  std::vector<MeasuredQuestion> same;
  std::copy_if(measured.begin(), measured.end(), std::back_inserter(same), [&](const MeasuredQuestion& candidate) {
    return candidate.model == model && candidate.question.binding == binding;
  });
  return choose_questions(same, filter, every_question);
}

void note_what_else_was_measured(std::vector<CompareTable>& tables, const std::vector<MeasuredQuestion>& measured) {
  std::set<std::pair<std::string, Question>> shown;
  for (const CompareTable& table : tables) shown.emplace(table.model, table.question());
  for (CompareTable& table : tables) {
    for (const MeasuredQuestion& candidate : measured) {
      const bool elsewhere = shown.count({candidate.model, candidate.question}) == 0;
      // A question without a known level cannot be asked for: it is shown where nothing better is known.
      if (candidate.model == table.model && elsewhere && !candidate.question.level.empty())
        table.also_measured.push_back(candidate.question);
    }
  }
}

}  // namespace fuselab::engine

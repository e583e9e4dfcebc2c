// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/surveys/survey_text.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/output/compare_text.h"
#include "app/cli/output/surveys/not_run.h"
#include "core/base/plain_text.h"
#include "core/base/units.h"
#include "core/base/words.h"

namespace fuselab::cli {
namespace {

using engine::ModelTotal;
using engine::Survey;

std::string percent(double share) {
  char text[16];
  // Not all is never shown as 100%.
  std::snprintf(text, sizeof text, "%.1f%%", share < 1 ? std::min(99.9, 100 * share) : 100.0);
  return text;
}

std::string title(const Survey& survey) {
  return survey.model + (survey.binding.empty() ? "" : " (" + survey.binding + ")");
}

std::string duration(double nanoseconds) {
  return nanoseconds > 0 ? format_duration(Nanoseconds{nanoseconds}) : "–";
}

std::string gain(const ModelTotal& total) {
  if (total.fused_ns <= 0 || total.unfused_ns <= 0) return "–";
  char text[24];
  std::snprintf(text, sizeof text, "%.2fx", total.unfused_ns / total.fused_ns);
  return text;
}

constexpr const char* kCompletedMark = "+";

bool is_completed(const Survey& survey) {
  return std::any_of(survey.totals.begin(), survey.totals.end(),
                     [](const ModelTotal& total) { return total.device_id != engine::kBestMix && total.completed_pieces > 0; });
}

Drawbacks shown_drawbacks(const Survey& survey) {
  Drawbacks shown;
  for (const ModelTotal& total : survey.totals) {
    if (total.device_id != engine::kBestMix) shown = shown | total.drawbacks.stated;
  }
  return shown;
}

void add_rows(const Survey& survey, std::vector<std::vector<std::string>>& rows) {
  bool first = true;
  for (const ModelTotal& total : survey.totals) {
    if (total.device_id == engine::kBestMix) continue;
    auto& row = rows.emplace_back();
    if (first) {
      row = {title(survey), std::to_string(survey.operators), percent(survey.run_share()), std::to_string(survey.groups),
             std::to_string(survey.distinct)};
    } else {
      row.resize(5);
    }
    first = false;
    std::string mark = total.fused_ns > 0 ? mark_of(total.drawbacks) : "";
    if (total.completed_pieces > 0) mark += kCompletedMark;
    row.insert(row.end(), {total.device_id, std::to_string(total.measured_pieces) + " of " + std::to_string(total.pieces),
                           duration(total.unfused_ns) + mark, duration(total.fused_ns) + mark, gain(total)});
  }
}

std::string left_out(const Survey& survey, const Terminal& terminal) {
  const std::string name = terminal.bold(plain_line(title(survey)));
  std::string text;
  if (!survey.not_run.empty())
    text = name + ": not run " + counted(survey.operators - survey.run, "operator") + " of " + std::to_string(survey.operators) +
           "\n" + not_run_lines(survey.not_run);
  if (!survey.not_run_there.empty()) text += name + ": run, but not on every device\n" + not_run_lines(survey.not_run_there);
  return text;
}

int gravity(const Status& outcome) {
  if (outcome.ok()) return 0;
  switch (outcome.error().code) {
    case ErrorCode::kNumerics: return 4;
    case ErrorCode::kCrashed:
    case ErrorCode::kInternal: return 3;
    case ErrorCode::kCancelled: return 2;
    default: return 1;
  }
}

nlohmann::json model_json(const Survey& survey) {
  nlohmann::json totals = nlohmann::json::array();
  for (const ModelTotal& total : survey.totals) {
    nlohmann::json entry = {{"device", total.device_id}, {"measured_pieces", total.measured_pieces}, {"pieces", total.pieces}};
    if (total.unfused_ns > 0) entry["unfused_ns"] = total.unfused_ns;
    if (total.fused_ns > 0) entry["fused_ns"] = total.fused_ns;
    if (total.completed_pieces > 0) entry["completed_pieces"] = total.completed_pieces;
    if (total.completed_pieces > 0) entry["completed_ns"] = total.completed_ns;
    add_drawbacks(total.drawbacks, entry);
    totals.push_back(std::move(entry));
  }
  return {{"model", survey.model},
          {"binding", survey.binding},
          {"operators", survey.operators},
          {"understood", survey.understood},
          {"run", survey.run},
          {"run_share", survey.run_share()},
          {"groups", survey.groups},
          {"distinct_pieces", survey.distinct},
          {"totals", totals},
          {"not_run", not_run_json(survey.not_run)},
          {"not_run_there", not_run_json(survey.not_run_there)}};
}

}  // namespace

std::string survey_text(const std::vector<SurveyedSubject>& subjects, const Terminal& terminal) {
  std::vector<std::vector<std::string>> rows;
  std::string below;
  int complete = 0, models = 0, crashed = 0;
  Drawbacks marked;
  bool completed = false;
  for (const SurveyedSubject& subject : subjects) {
    crashed += subject.crashed;
    for (const Survey& survey : subject.models) {
      add_rows(survey, rows);
      marked = marked | shown_drawbacks(survey);
      completed = completed || is_completed(survey);
      ++models;
      complete += survey.run == survey.operators ? 1 : 0;
      below += left_out(survey, terminal);
    }
    if (!subject.outcome.ok())
      below += terminal.red(plain_line(subject.subject)) + ": " + plain_line(subject.outcome.error().message) + "\n";
  }
  std::string text = render_table({{"model"},
                                   {"operators", Align::kRight},
                                   {"run", Align::kRight},
                                   {"groups", Align::kRight},
                                   {"distinct", Align::kRight},
                                   {"device"},
                                   {"measured", Align::kRight},
                                   {"unfused", Align::kRight},
                                   {"fused", Align::kRight},
                                   {"gain", Align::kRight}},
                                  rows, terminal);
  text += drawback_note(marked);
  if (completed)
    text += std::string(kCompletedMark) + " with what the pieces without a figure there cost on the fastest other device.\n";
  text += "\n" + counted(std::ssize(subjects), "subject") + ", " + counted(models, "model") + " read and cut, " +
          std::to_string(complete) + " run whole; " + counted(crashed, "crash", "crashes") + ".\n";
  return text + (below.empty() ? "" : "\n" + below);
}

nlohmann::json survey_json(const std::vector<SurveyedSubject>& subjects) {
  nlohmann::json list = nlohmann::json::array();
  for (const SurveyedSubject& subject : subjects) {
    nlohmann::json models = nlohmann::json::array();
    for (const Survey& survey : subject.models) models.push_back(model_json(survey));
    nlohmann::json entry = {{"subject", subject.subject}, {"models", models}, {"crashed", subject.crashed}};
    if (!subject.outcome.ok()) entry["problem"] = subject.outcome.error().message;
    list.push_back(std::move(entry));
  }
  return {{"schema", "fuselab.survey/1"}, {"subjects", list}};
}

Status survey_outcome(const std::vector<SurveyedSubject>& subjects) {
  Status gravest;
  for (const SurveyedSubject& subject : subjects) {
    Status outcome = subject.outcome;
    if (!outcome.ok()) outcome = outcome.error().within(subject.subject);
    if (gravity(outcome) > gravity(gravest)) gravest = outcome;
  }
  return gravest;
}

}  // namespace fuselab::cli

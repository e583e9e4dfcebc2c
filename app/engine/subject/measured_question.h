// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/views/snapshots.h"
#include "core/base/result.h"
#include "core/graph/shape.h"
#include "core/store/result_store.h"

namespace fuselab::engine {

// A question that some run asked, and the newest run that did: its pieces are the question's pieces.
struct MeasuredQuestion {
  std::string model;
  Question question;
  std::string run_id;
};

// Every question that is stored: those of this machine's runs first, among them the newest first. Where it is not known any more at
// which level something was cut, it comes after what is known.
std::vector<MeasuredQuestion> measured_questions(const Catalog& catalog, const std::string& host);

// Which questions are asked for; what is empty is left open.
struct QuestionFilter {
  std::string level;                // as name_of() has it: "O2"
  std::string dtype;                // as name_of() has it; leaves open what was not asked of a built-in workload
  std::vector<Bindings> any_shape;  // the extents of one of these
  bool admits(const Question& question) const;
};

// One question of each (model, binding), the first that the filter admits, sorted by both; or all that it admits.
std::vector<MeasuredQuestion> choose_questions(const std::vector<MeasuredQuestion>& measured, const QuestionFilter& filter,
                                               bool every_question);

// The same for one model at given extents.
std::vector<MeasuredQuestion> choose_questions_of(const std::vector<MeasuredQuestion>& measured, const std::string& model,
                                                  const std::string& binding, const QuestionFilter& filter, bool every_question);

// Tells each table what else is stored of its model and stands in none of the tables.
void note_what_else_was_measured(std::vector<CompareTable>& tables, const std::vector<MeasuredQuestion>& measured);

}  // namespace fuselab::engine

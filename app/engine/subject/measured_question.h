// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/views/snapshots.h"
#include "core/base/result.h"
#include "core/store/result_store.h"
#include "core/types/shape.h"

namespace fuselab::engine {

// A question that some run asked, and the newest run that asked it: the pieces of that run are the question's pieces.
struct MeasuredQuestion {
  std::string model;
  Question question;
  std::string run_id;
};

// Returns every stored question: those of this machine's runs first, newest first among them. A question whose optimization level
// is not known any more comes after those with a known one. `only_run`: those of that run alone; empty: of every run.
std::vector<MeasuredQuestion> measured_questions(const Catalog& catalog, const std::string& host, const std::string& only_run = {});

// Selects questions; a field that is empty accepts any value.
struct QuestionFilter {
  std::string level;                // as name_of() has it: "O2"
  std::string dtype;                // as name_of() has it; also admits questions asked without an element type
  std::vector<Bindings> any_shape;  // the extents must be one of these
  bool admits(const Question& question) const;
};

// Returns one question of each (model, binding), the first that the filter admits, sorted by both; with `every_question` all that
// it admits.
std::vector<MeasuredQuestion> choose_questions(const std::vector<MeasuredQuestion>& measured, const QuestionFilter& filter,
                                               bool every_question);

// Does the same for one model at given extents.
std::vector<MeasuredQuestion> choose_questions_of(const std::vector<MeasuredQuestion>& measured, const std::string& model,
                                                  const std::string& binding, const QuestionFilter& filter, bool every_question);

// Adds to each table the other stored questions of its model that are in none of the tables.
void note_what_else_was_measured(std::vector<CompareTable>& tables, const std::vector<MeasuredQuestion>& measured);

}  // namespace fuselab::engine

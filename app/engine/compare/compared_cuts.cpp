// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/compared_cuts.h"

#include <functional>
#include <iterator>
#include <set>

#include "app/engine/compare/recorded_devices.h"
#include "app/engine/subject/model_names.h"

namespace fuselab::engine {
namespace {

Result<QuestionFilter> filter_of(const CompareSpec& spec) {
  QuestionFilter filter;
  if (!spec.level.empty()) {
    FL_TRY(const OptimizationLevel level, parse_optimization_level(spec.level));
    filter.level = name_of(level);
  }
  if (!spec.dtype.empty()) {
    FL_TRY(const DType dtype, parse_element_type(spec.dtype));
    filter.dtype = name_of(dtype);
  }
  return filter;
}

std::set<std::string> pieces_of(const Catalog& catalog, const MeasuredQuestion& asked) {
  std::set<std::string> keys;
  for (const ModelPieceRecord& use : catalog.model_pieces) {
    if (use.run_id == asked.run_id && use.model == asked.model && Question{use.binding, use.level, use.dtype} == asked.question)
      keys.insert(use.piece_key);
  }
  return keys;
}

// Replaces the cut for all devices by the cut for some of them, where that has the pieces that were measured and the former has
// not: the measuring job was restricted to devices that can write more in one kernel, or other pieces.
Status cut_for_fewer(std::vector<FusedModel>& found, const std::set<std::string>& stored, const std::vector<BackendLimits>& limits,
                     const std::function<Result<std::vector<FusedModel>>(const std::vector<BackendLimits>&)>& cut) {
  const auto is_stored = [&](const std::vector<FusedModel>& models) {
    std::set<std::string> keys;
    for (const FusedModel& model : models) {
      for (const Piece& piece : model.pieces) keys.insert(piece.key);
      if (model.whole && stored.contains(model.whole->key)) keys.insert(model.whole->key);  // where a stack took it
    }
    return keys == stored;
  };
  constexpr std::size_t kMostBackends = 5;  // of which all subsets are tried; of more, each alone
  if (stored.empty() || is_stored(found) || limits.size() < 2 || limits.size() >= 8 * sizeof(std::size_t)) return {};
  const auto after = [&](std::size_t subset) { return limits.size() > kMostBackends ? subset << 1U : subset + 1; };
  for (std::size_t subset = 1; subset + 1 < (std::size_t{1} << limits.size()); subset = after(subset)) {
    std::vector<BackendLimits> fewer;
    for (std::size_t index = 0; index < limits.size(); ++index) {
      if ((subset >> index & 1U) != 0) fewer.push_back(limits[index]);
    }
    FL_TRY(auto models, cut(fewer));
    if (!is_stored(models)) continue;
    found = std::move(models);
    return {};
  }
  return {};
}

// Returns a subject as it is now, cut as in its newest measurement, or as a job would cut it by default when there is none.
Result<std::vector<FusedModel>> cut_as_measured(const Config& config, const std::string& name, const std::string& binding,
                                                const QuestionFilter& filter, const Catalog& catalog,
                                                const std::vector<MeasuredQuestion>& measured, bool every_question,
                                                const CutFor& cut_for) {
  const std::vector<BackendLimits>& limits = cut_for.limits;
  const JobSpec usual;
  const std::string dtype = filter.dtype.empty() ? usual.dtype : filter.dtype;
  const std::string level = filter.level.empty() ? usual.level : filter.level;
  FL_TRY(const auto by_default, cut_to_look(config, name, binding, level, dtype, limits));
  std::vector<FusedModel> fused_models;
  for (const FusedModel& usual_cut : by_default) {
    const Subject& subject = usual_cut.subject;
    const std::string model = stored_model(subject.name, subject.content);
    const auto asked = choose_questions_of(measured, model, subject.binding, filter, every_question);
    if (asked.empty()) fused_models.push_back(usual_cut);
    for (const MeasuredQuestion& as : asked) {
      if (cut_for.as_stored) {
        FL_TRY(FusedModel stored, stored_fused_model(catalog, as));
        fused_models.push_back(std::move(stored));
        continue;
      }
      const std::string its_level = as.question.level.empty() ? level : as.question.level;
      const std::string its_dtype = as.question.dtype.empty() ? dtype : as.question.dtype;
      std::vector<FusedModel> found = {usual_cut};
      if (its_level != usual_cut.level || its_dtype != dtype) {
        FL_TRY(found, cut_to_look(config, name, subject.binding, its_level, its_dtype, limits));
      }
      FL_TRY_VOID(cut_for_fewer(found, pieces_of(catalog, as), limits, [&](const std::vector<BackendLimits>& fewer) {
        return cut_to_look(config, name, subject.binding, its_level, its_dtype, fewer);
      }));
      std::move(found.begin(), found.end(), std::back_inserter(fused_models));
    }
  }
  return fused_models;
}

}  // namespace

Result<std::vector<FusedModel>> cut_to_look(const Config& config, const std::string& name, const std::string& binding,
                                            const std::string& level_name, const std::string& dtype_name,
                                            const std::vector<BackendLimits>& asked, Extents extents, const InputNumbers& numbers) {
  FL_TRY(const OptimizationLevel level, parse_optimization_level(level_name));
  FL_TRY(const DType dtype, parse_element_type(dtype_name));
  Config only_looking = config;
  only_looking.model_directory.clear();
  FL_TRY(auto subjects, resolve_subject(only_looking, name, binding, dtype, extents, Weights::kShapesAlone, numbers));
  std::vector<FusedModel> fused_models;
  for (Subject& subject : subjects) {
    const TraceScope traced(config.trace, kJobTrack, "fuse " + subject.name, "fuse");
    FL_TRY(FusedModel fused_model, cut(std::move(subject), level, asked));
    fused_models.push_back(std::move(fused_model));
  }
  return fused_models;
}

Result<std::vector<FusedModel>> compared_cuts(const Config& config, const CompareSpec& spec, const Catalog& catalog,
                                              const std::vector<MeasuredQuestion>& measured, const CutFor& cut_for) {
  FL_TRY(QuestionFilter filter, filter_of(spec));
  std::vector<FusedModel> fused_models;
  std::vector<std::string> subjects, bindings;
  FL_TRY_VOID(check_shape_count(spec.bindings.size(), spec.subjects.size()));
  for (const std::string& subject : spec.subjects) {
    if (!names_recording(catalog, subject)) {
      subjects.push_back(subject);
      continue;
    }
    if (!spec.bindings.empty())
      return invalid_argument("--shape: '" + subject + "' is a recording, which has no extents to choose");
    for (const MeasuredQuestion& asked : choose_questions_of(measured, subject, "", filter, spec.every_question)) {
      FL_TRY(FusedModel stored, stored_fused_model(catalog, asked));
      fused_models.push_back(std::move(stored));
    }
  }
  if (!subjects.empty()) {
    FL_TRY(bindings, shape_of_each(subjects, spec.bindings, config.model_links));
  }
  for (std::size_t index = 0; index < subjects.size(); ++index) {
    if (spec.stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled"};
    FL_TRY(auto cut,
           cut_as_measured(config, subjects[index], bindings[index], filter, catalog, measured, spec.every_question, cut_for));
    std::move(cut.begin(), cut.end(), std::back_inserter(fused_models));
  }
  if (!spec.subjects.empty()) return fused_models;
  for (const std::string& text : spec.bindings) {
    FL_TRY(const Bindings wanted, parse_bindings(text));
    filter.any_shape.push_back(wanted);
  }
  for (const MeasuredQuestion& asked : choose_questions(measured, filter, spec.every_question)) {
    FL_TRY(FusedModel fused_model, stored_fused_model(catalog, asked));
    fused_models.push_back(std::move(fused_model));
  }
  return fused_models;
}

}  // namespace fuselab::engine

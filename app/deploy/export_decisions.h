// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/deploy/export_subject.h"
#include "app/engine/subject/piece.h"

// The decisions of an export that are taken before anything is made: for which device, how the subject is cut, what the options
// allow.
namespace fuselab::deploy {

struct ExportTarget {
  OptimizationLevel level = OptimizationLevel::kO2;
  std::vector<BackendReport> backends;
  DeviceInfo device;
  std::vector<BackendLimits> alone, together;  // of this device, and of all that are usable here
};
// Fails with kUnsupported for a device whose kernels no bundle holds.
Result<ExportTarget> export_target(engine::Engine& engine, const ExportSpec& spec);

// Returns each extents of the spec's subjects; one empty text where it gives none.
// Fails with kInvalidArgument for extents that are given twice, and for several extents of several subjects.
Result<std::vector<std::string>> extents_of(const ExportSpec& spec);

// Returns what is stored of a subject, `typed` as the user names it; nothing where nothing is.
std::vector<engine::CompareTable> stored_tables(engine::Engine& engine, const ExportSpec& spec, const std::string& typed,
                                                const std::string& binding);

// Cuts the subject as the measuring job did: for this device alone, or for all that are usable here, whichever has more pieces that
// were measured.
struct MeasuredCut {
  engine::FusedModel model;
  bool for_every_device = false;
};
Result<MeasuredCut> cut_as_measured(const engine::Subject& subject, const ExportTarget& target,
                                    const std::vector<engine::CompareTable>& tables);

// Fail with kUnavailable, naming the option that allows it, for a piece so configured that the options refuse it, and for a model
// that loses too much without libraries.
Status check_configured(const ExportSpec& spec, const std::string& piece, std::string_view configured);
Status check_loss(const ExportSpec& spec, const std::string& model, const LibraryLoss& loss);

}  // namespace fuselab::deploy

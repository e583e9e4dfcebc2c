// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/bundles/verify_text.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/output/compare_text.h"
#include "core/base/plain_text.h"
#include "core/base/units.h"
#include "core/base/words.h"

namespace fuselab::cli {
namespace {

using deploy::PieceVerdict;
using deploy::VerifiedBundle;
using deploy::VerifiedPiece;

std::string time_text(double median, double low, double high) {
  return format_duration({median}) + " [" + format_duration({low}) + ", " + format_duration({high}) + "]";
}

std::string ratio_text(const VerifiedPiece& piece) {
  if (piece.ratio() <= 0) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", piece.ratio());
  return text;
}

std::string pieces_text(const VerifiedBundle& verified, const Terminal& terminal) {
  std::vector<std::vector<std::string>> rows;
  for (const VerifiedPiece& piece : verified.pieces) {
    const auto& exported = piece.exported;
    const auto& here = piece.here;
    rows.push_back({plain_line(piece.name), std::string(name_of(piece.verdict)),
                    exported ? time_text(exported->median_ns, exported->low_ns, exported->high_ns) : "",
                    here ? time_text(here->median, here->interval.low, here->interval.high) : "", ratio_text(piece)});
  }
  return render_table({{"piece"}, {"here"}, {"exported"}, {"time here"}, {"here / exported", Align::kRight}}, rows, terminal);
}

std::string summary_text(const VerifiedBundle& verified) {
  std::int64_t matched = 0;
  for (const VerifiedPiece& piece : verified.pieces)
    matched += piece.verdict != PieceVerdict::kWrong && piece.verdict != PieceVerdict::kFailed ? 1 : 0;
  std::string text =
      std::to_string(matched) + " of " + std::to_string(verified.pieces.size()) + " pieces" + " match the float64 reference\n";
  for (const VerifiedPiece& piece : verified.pieces) {
    if (!piece.reason.empty()) text += plain_line(piece.name) + ": " + plain_text(piece.reason) + "\n";
  }
  if (!verified.other_processor.empty())
    text += "measured on " + plain_line(verified.other_processor) + ", which is another CPU: times are not judged\n";
  return text;
}

}  // namespace

std::string verified_text(const VerifiedBundle& verified, const Terminal& terminal) {
  std::string text = "the loader opens it in " + format_duration(verified.open) + ", weights hashed; of " +
                     counted(verified.tuned + verified.untuned + verified.baseline, "launch", "launches") + " " +
                     std::to_string(verified.tuned) + " tuned, " + std::to_string(verified.untuned) +
                     " in another configuration, " + std::to_string(verified.baseline) + " of baseline builds\n";
  for (const deploy::VerifiedRun& run : verified.runs)
    text += plain_line(run.model) + (run.binding.empty() ? "" : " (" + plain_line(run.binding) + ")") + ": " +
            format_duration(run.median) + " a run\n";
  return text + pieces_text(verified, terminal) + summary_text(verified);
}

void add_verified(nlohmann::json& document, const VerifiedBundle& verified) {
  document["signer"] = verified.bundle.signer;
  document["loader"] = {
      {"open_ns", verified.open.count}, {"tuned", verified.tuned}, {"untuned", verified.untuned}, {"baseline", verified.baseline}};
  if (!verified.other_processor.empty()) document["other_processor"] = verified.other_processor;
  document["models"] = nlohmann::json::array();
  for (const deploy::VerifiedRun& run : verified.runs)
    document["models"].push_back({{"name", run.model}, {"binding", run.binding}, {"run_ns", run.median.count}});
  document["pieces"] = nlohmann::json::array();
  for (const VerifiedPiece& piece : verified.pieces) {
    nlohmann::json row = {{"name", piece.name}, {"verdict", name_of(piece.verdict)}};
    if (!piece.reason.empty()) row["reason"] = piece.reason;
    if (piece.exported)
      row["exported"] = {
          {"median_ns", piece.exported->median_ns}, {"low_ns", piece.exported->low_ns}, {"high_ns", piece.exported->high_ns}};
    if (piece.here)
      row["here"] = {
          {"median_ns", piece.here->median}, {"low_ns", piece.here->interval.low}, {"high_ns", piece.here->interval.high}};
    if (piece.ratio() > 0) row["ratio"] = piece.ratio();
    document["pieces"].push_back(std::move(row));
  }
}

}  // namespace fuselab::cli

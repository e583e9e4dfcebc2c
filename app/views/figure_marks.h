// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "app/views/snapshots.h"
#include "core/measure/disturbance.h"

// What is to be known of figures wherever they are shown: which ones other load disturbed, which ones are withheld, and where a
// gain comes from.
namespace fuselab::engine {

using fuselab::kDisturbedMark;
// Returns the mark beside a figure, empty where nothing disturbed it.
std::string disturbed_mark(const Figure& figure);

// Returns "withheld: 730 µs, 109% of its ceiling"; "withheld" where the figure is not known, as of a plan whose pair is withheld.
std::string withheld_words(const Cell& cell);

// Counts a table's figures, a single operator's once; the withheld ones are not among `figures`.
struct FigureCounts {
  int figures = 0;
  int disturbed = 0;
  int withheld = 0;
  double disturbed_share() const { return figures > 0 ? static_cast<double>(disturbed) / figures : 0; }
};
FigureCounts count_figures(const CompareTable& table);

// Returns "2 withheld, 58% of 96 figures disturbed (~)"; empty where there is nothing to say.
std::string counts_words(const FigureCounts& counts);

// The quotient of the two times that are shown beside a gain; nothing where one is missing.
std::optional<double> times_ratio(const CompareCell& cell);
// Returns whether gain and times agree: they come from the same runs, and the quotient lies within the gain's interval.
bool gain_is_of_the_times(const CompareCell& cell);
// Returns "gain from 6 fresh processes; times from one block, whose quotient is 1.12x"; empty where gain and times agree.
std::string gain_source_words(const CompareCell& cell);

}  // namespace fuselab::engine

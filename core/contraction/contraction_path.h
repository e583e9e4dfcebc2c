// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace fuselab {

// Indices of tensors, as numbers; each at most once in a tensor.
using IndexSet = std::vector<int>;

// A sum over all indices that the result has not, of the products of several tensors (an Einsum).
struct ContractionProblem {
  std::vector<IndexSet> operands;  // at least one
  IndexSet result;
  std::map<int, double> sizes;                                     // of every index; at least 1
  double most_elements = std::numeric_limits<double>::infinity();  // an intermediate tensor may not be larger
};

// In which order the operands are multiplied, two at a time. A step names two places, the smaller first, in the list of tensors
// that are left; both are taken out, and their product goes to its end (opt_einsum's convention).
struct ContractionPath {
  std::vector<std::pair<int, int>> steps;
  double flops = 0;         // of all steps: elements of both tensors' indices together, twice where one of them is summed over
  double elements = 0;      // of the largest tensor that a step makes
  double traffic = 0;       // elements that all steps read and write
  std::string_view method;  // "optimal", "branch", "greedy", "as written"
};

// The cost of the order in which the operands stand.
ContractionPath path_as_written(const ContractionProblem& problem);

// The least FLOPs of all orders, by dynamic programming over sets of operands; 3^n steps for n operands, at most kMostOptimal.
// Empty steps where no order keeps to most_elements.
inline constexpr std::size_t kMostOptimal = 10;
ContractionPath optimal_path(const ContractionProblem& problem);

// Always the pair that takes away most elements of memory; pairs without a common index last, the smallest first. The method of
// opt_einsum's "greedy" (Smith and Gray, 2018, doi 10.21105/joss.00753).
ContractionPath greedy_path(const ContractionProblem& problem);

// Depth first over the `width` most promising pairs of each step, cut off where a known path is cheaper.
ContractionPath branch_path(const ContractionProblem& problem, int width);

// The best that is known to be worth looking for: optimal up to ten operands, else the better one of branch and greedy; as written
// where nothing is cheaper or nothing keeps to most_elements, and beyond kMostSearched operands, since a search takes the cube of
// them.
inline constexpr std::size_t kMostSearched = 100;
ContractionPath best_path(const ContractionProblem& problem);

}  // namespace fuselab

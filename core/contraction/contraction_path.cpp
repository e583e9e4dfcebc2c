// SPDX-License-Identifier: Apache-2.0
#include "core/contraction/contraction_path.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace fuselab {
namespace {

// Sets of indices as bits, 64 to a word: a problem may have more indices than a word has bits.
class Bits {
 public:
  Bits() = default;
  explicit Bits(std::size_t count) : words_((count + 63) / 64) {}

  void set(std::size_t bit) { words_[bit / 64] |= std::uint64_t{1} << (bit % 64); }
  bool has(std::size_t bit) const { return (words_[bit / 64] >> (bit % 64) & 1) != 0; }
  bool any() const {
    return std::any_of(words_.begin(), words_.end(), [](std::uint64_t word) { return word != 0; });
  }
  Bits& operator|=(const Bits& other) {
    return combine(other, [](std::uint64_t a, std::uint64_t b) { return a | b; });
  }
  Bits& operator&=(const Bits& other) {
    return combine(other, [](std::uint64_t a, std::uint64_t b) { return a & b; });
  }
  friend Bits operator|(Bits a, const Bits& b) { return a |= b; }
  friend Bits operator&(Bits a, const Bits& b) { return a &= b; }
  bool operator==(const Bits&) const = default;

 private:
  template <typename Combine>
  Bits& combine(const Bits& other, Combine how) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = how(words_[i], other.words_[i]);
    return *this;
  }

  std::vector<std::uint64_t> words_;
};

// A problem with its indices numbered from 0 on.
class Network {
 public:
  explicit Network(const ContractionProblem& problem) : most_elements_(problem.most_elements) {
    for (const auto& [name, size] : problem.sizes) {
      places_[name] = sizes_.size();
      sizes_.push_back(std::max(1.0, size));
    }
    for (const IndexSet& operand : problem.operands) operands_.push_back(bits_of(operand));
    result_ = bits_of(problem.result);
  }

  const std::vector<Bits>& operands() const { return operands_; }
  const Bits& result() const { return result_; }
  bool allows(double elements) const { return elements <= most_elements_; }
  Bits none() const { return Bits(sizes_.size()); }

  double elements(const Bits& indices) const {
    double product = 1;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      if (indices.has(i)) product *= sizes_[i];
    }
    return product;
  }
  // One multiplication for each combination of indices, and an addition where some are summed over.
  double flops(const Bits& a, const Bits& b, const Bits& kept) const {
    const Bits together = a | b;
    return elements(together) * (together == (together & kept) ? 1 : 2);
  }

 private:
  Bits bits_of(const IndexSet& names) const {
    Bits bits(sizes_.size());
    for (const int name : names) bits.set(places_.at(name));
    return bits;
  }

  double most_elements_;
  std::map<int, std::size_t> places_;
  std::vector<double> sizes_;
  std::vector<Bits> operands_;
  Bits result_;
};

// The tensors that are left, and what the steps so far cost.
class Walk {
 public:
  explicit Walk(const Network& network) : network_(&network), left_(network.operands()) {}

  std::size_t count() const { return left_.size(); }
  const Bits& tensor(std::size_t place) const { return left_[place]; }
  const ContractionPath& path() const { return path_; }

  // The indices that the product of two keeps: those that the result or another tensor has.
  Bits kept_of(std::size_t a, std::size_t b) const {
    Bits needed = network_->result();
    for (std::size_t i = 0; i < left_.size(); ++i) {
      if (i != a && i != b) needed |= left_[i];
    }
    return (left_[a] | left_[b]) & needed;
  }

  void step(std::size_t a, std::size_t b) {
    const Bits kept = kept_of(a, b);
    const double made = network_->elements(kept);
    path_.flops += network_->flops(left_[a], left_[b], kept);
    path_.elements = std::max(path_.elements, made);
    path_.traffic += network_->elements(left_[a]) + network_->elements(left_[b]) + made;
    path_.steps.emplace_back(static_cast<int>(a), static_cast<int>(b));
    left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(b));
    left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(a));
    left_.push_back(kept);
  }

 private:
  const Network* network_;
  std::vector<Bits> left_;
  ContractionPath path_;
};

struct Pair {
  std::size_t a, b;
  double gained;  // elements that are in memory after the step less those before
  double made;
  bool shares;
};

std::vector<Pair> pairs_of(const Network& network, const Walk& walk) {
  std::vector<Pair> pairs;
  for (std::size_t a = 0; a < walk.count(); ++a) {
    for (std::size_t b = a + 1; b < walk.count(); ++b) {
      const double made = network.elements(walk.kept_of(a, b));
      if (!network.allows(made)) continue;
      const double before = network.elements(walk.tensor(a)) + network.elements(walk.tensor(b));
      pairs.push_back({a, b, made - before, made, (walk.tensor(a) & walk.tensor(b)).any()});
    }
  }
  return pairs;
}

// Pairs with a common index before those without; then what takes away most memory; then the smaller product.
bool is_before(const Pair& x, const Pair& y) {
  if (x.shares != y.shares) return x.shares;
  if (!x.shares) return x.made < y.made;
  return x.gained != y.gained ? x.gained < y.gained : x.made < y.made;
}

class Branching {
 public:
  Branching(const Network& network, int width) : network_(network), width_(static_cast<std::size_t>(width)) {}

  void search(const Walk& walk) {
    if (walk.count() == 1) {
      if (!best_ || walk.path().flops < best_->flops) best_ = walk.path();
      return;
    }
    std::vector<Pair> pairs = pairs_of(network_, walk);
    const std::size_t tried = std::min(width_, pairs.size());
    std::partial_sort(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(tried), pairs.end(), is_before);
    for (std::size_t i = 0; i < tried && visited_ < kMostVisited; ++i) {
      ++visited_;
      Walk next = walk;
      next.step(pairs[i].a, pairs[i].b);
      if (!best_ || next.path().flops < best_->flops) search(next);
    }
  }
  const std::optional<ContractionPath>& best() const { return best_; }

 private:
  static constexpr int kMostVisited = 20'000;  // steps

  const Network& network_;
  std::size_t width_;
  int visited_ = 0;
  std::optional<ContractionPath> best_;
};

// The cheapest way to the product of each set of operands, which are bits of a number.
class DynamicProgram {
 public:
  explicit DynamicProgram(const Network& network)
      : network_(network), count_(network.operands().size()), sets_(std::size_t{1} << count_) {}

  std::optional<ContractionPath> solve() {
    for (std::size_t set = 1; set < sets_.size(); ++set) {
      Set& own = sets_[set];
      own.indices = indices_of(set);
      if ((set & (set - 1)) == 0) {
        own.flops = 0;
        continue;
      }
      if (network_.allows(network_.elements(own.indices))) split(set);
    }
    if (!sets_.back().flops) return std::nullopt;
    Walk walk(network_);
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < count_; ++i) left.push_back(std::size_t{1} << i);
    replay(sets_.size() - 1, left, walk);
    return walk.path();
  }

 private:
  struct Set {
    Bits indices;
    std::optional<double> flops;
    std::size_t part = 0;  // one of the two that are multiplied
  };

  // Operands keep all their indices until they are multiplied.
  Bits indices_of(std::size_t set) const {
    Bits inside = network_.none(), needed = network_.result();
    for (std::size_t i = 0; i < count_; ++i) ((set >> i & 1) != 0 ? inside : needed) |= network_.operands()[i];
    return (set & (set - 1)) == 0 ? inside : inside & needed;
  }

  void split(std::size_t set) {
    Set& own = sets_[set];
    for (std::size_t part = (set - 1) & set; part > 0; part = (part - 1) & set) {
      const std::size_t rest = set ^ part;
      if (part < rest) break;  // each pair once
      if (!sets_[part].flops || !sets_[rest].flops) continue;
      const double flops =
          *sets_[part].flops + *sets_[rest].flops + network_.flops(sets_[part].indices, sets_[rest].indices, own.indices);
      if (own.flops && flops >= *own.flops) continue;
      own.flops = flops;
      own.part = part;
    }
  }

  // Makes the steps of a set in the order in which its parts must be there.
  void replay(std::size_t set, std::vector<std::size_t>& left, Walk& walk) const {
    if ((set & (set - 1)) == 0) return;
    const std::size_t part = sets_[set].part, rest = set ^ part;
    replay(part, left, walk);
    replay(rest, left, walk);
    auto a = static_cast<std::size_t>(std::find(left.begin(), left.end(), part) - left.begin());
    auto b = static_cast<std::size_t>(std::find(left.begin(), left.end(), rest) - left.begin());
    if (a > b) std::swap(a, b);
    walk.step(a, b);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(b));
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(a));
    left.push_back(set);
  }

  const Network& network_;
  std::size_t count_;
  std::vector<Set> sets_;
};

ContractionPath named(std::optional<ContractionPath> path, std::string_view method) {
  ContractionPath found = path.value_or(ContractionPath{});
  found.method = method;
  return found;
}

}  // namespace

ContractionPath path_as_written(const ContractionProblem& problem) {
  const Network network(problem);
  Walk walk(network);
  if (walk.count() > 1) walk.step(0, 1);
  while (walk.count() > 1) walk.step(0, walk.count() - 1);
  return named(walk.path(), "as written");
}

ContractionPath optimal_path(const ContractionProblem& problem) {
  if (problem.operands.size() > kMostOptimal) return named(std::nullopt, "optimal");
  const Network network(problem);
  return named(DynamicProgram(network).solve(), "optimal");
}

ContractionPath greedy_path(const ContractionProblem& problem) {
  const Network network(problem);
  Walk walk(network);
  while (walk.count() > 1) {
    const std::vector<Pair> pairs = pairs_of(network, walk);
    if (pairs.empty()) return named(std::nullopt, "greedy");
    const Pair& best = *std::min_element(pairs.begin(), pairs.end(), is_before);
    walk.step(best.a, best.b);
  }
  return named(walk.path(), "greedy");
}

ContractionPath branch_path(const ContractionProblem& problem, int width) {
  const Network network(problem);
  Branching branching(network, width);
  branching.search(Walk(network));
  return named(branching.best(), "branch");
}

ContractionPath best_path(const ContractionProblem& problem) {
  constexpr int kWidth = 3;
  ContractionPath best = path_as_written(problem);
  const auto take = [&](const ContractionPath& path) {
    const bool whole = path.steps.size() + 1 == problem.operands.size();
    const bool written = best.method == "as written";
    if (whole && (path.flops < best.flops || (written && best.elements > problem.most_elements))) best = path;
  };
  if (problem.operands.size() > kMostSearched) return best;
  if (problem.operands.size() <= kMostOptimal) {
    take(optimal_path(problem));
  } else {
    take(greedy_path(problem));
    take(branch_path(problem, kWidth));
  }
  return best;
}

}  // namespace fuselab

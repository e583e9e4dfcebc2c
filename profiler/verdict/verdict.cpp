// SPDX-License-Identifier: Apache-2.0
#include "profiler/verdict/verdict.h"

#include <algorithm>
#include <set>

#include "core/measure/protocol.h"
#include "profiler/verdict/device_rules.h"
#include "profiler/verdict/figure_words.h"
#include "profiler/verdict/verdict_rules.h"

namespace fuselab::profile {
namespace {

// A finding that explains less of the time than this is no verdict, and one of at least so much is likely even alone.
constexpr double kExplains = 0.4, kLikely = 0.6;
constexpr double kWorthSaying = 0.15;

std::string subject_of(const Finding& finding) {
  switch (finding.bound) {
    case Bound::kMemory: return "memory: the time goes into moving data";
    case Bound::kCache: return finding.where + ": the time goes into moving data through this cache";
    case Bound::kPorts:
      return finding.where.empty() ? "arithmetic: execution units are busy" : "ports: " + finding.where + " is busy";
    case Bound::kLatency:
      return finding.where.empty() ? "latency: each result waits for the one before" : "latency: warps wait for " + finding.where;
    case Bound::kLaunch: return "launches: starting and joining threads";
    case Bound::kThreads: return "too few threads: CPUs idle";
    case Bound::kSpills: return "spills: registers go to the stack and back";
    case Bound::kShared:
      return "shared memory: " + (finding.where.empty() ? "the path to it is busy" : finding.where + " repeat its passes");
    case Bound::kTensor: return "tensor units: matrix instructions keep them busy";
    case Bound::kIssue: return "issue: schedulers have no slot left for more instructions";
    case Bound::kOccupancy:
      return "occupancy: too few warps are in flight" + (finding.where.empty() ? "" : ", limited by " + finding.where);
    case Bound::kUnclear: return "";
  }
  return "";
}

std::string advice_of(const Finding& finding) {
  switch (finding.bound) {
    case Bound::kMemory:
      return "move fewer bytes: a smaller element type, fusing with the neighbour that reads or writes the same tensor; stores "
             "that "
             "bypass caches, where a result is not read soon";
    case Bound::kCache: return "keep more in registers: a larger tile or more unrolling loads a value once for more arithmetic";
    case Bound::kPorts: return "fewer or wider instructions: a wider vector, a cheaper form of the function";
    case Bound::kLatency:
      return "more independent work in an iteration: unroll, or keep several accumulators" +
             std::string(finding.where.empty() ? "" : "; on a GPU also loads that start earlier and fewer barriers");
    case Bound::kLaunch: return "fewer threads for so little work, or fuse with what runs before and after";
    case Bound::kThreads: return "more threads: `tune` tries them, or set threads in the configuration";
    case Bound::kSpills: return "a smaller tile or less unrolling, so that all values have a register";
    case Bound::kShared:
      return finding.where.empty() ? "fewer passes of shared memory: wider accesses, or values kept in registers"
                                   : "rows of shared memory that begin in different banks: pad or swizzle them";
    case Bound::kTensor: return "fewer operations, or a narrower element type: the matrix units are the limit of this one";
    case Bound::kIssue: return "fewer instructions for the same work: wider accesses, packed arithmetic, less index arithmetic";
    case Bound::kOccupancy:
      return finding.where == "the launch" ? "more blocks: smaller tiles, or a split of the reduced extent"
                                           : "less of what limits it: smaller tiles, fewer stages, or more threads a block";
    case Bound::kUnclear: return "";
  }
  return "";
}

Certainty certainty_of(const Finding& finding) {
  const std::set<std::string> kinds(finding.rests_on.begin(), finding.rests_on.end());
  if (finding.share >= kLikely && kinds.size() >= 2) return Certainty::kSure;
  return finding.share >= kLikely || (finding.share >= kExplains && kinds.size() >= 2) ? Certainty::kLikely : Certainty::kWeak;
}

// The state of the caches, where it is not the usual one: it decides where data come from.
std::string state_of_caches(const Facts& facts) {
  const std::string& caches = facts.standing.caches;
  if (caches == name_of(CacheMode::kCold))
    return " It was measured with cold caches: its data come from memory, whatever their size.";
  if (caches == name_of(CacheMode::kRotating))
    return " It was measured on rotating buffers, which together exceed the caches: its data come from memory, whatever their "
           "size.";
  if (caches == name_of(CacheMode::kFirstLaunch))
    return " It was measured at the first launch, which also fetches the code: no ceiling allows for that.";
  return "";
}

std::string what_is_missing(const Facts& facts) {
  if (facts.standing.caches != name_of(CacheMode::kWarm))
    return "Counters and samples are of launches with warm caches and no evidence here.";
  if (facts.counters.rung == "top-down" || facts.counters.rung == "generic" || has_device_counts(facts.counters)) return "";
  std::string text = "No hardware counter was read";
  for (const std::string& rung : facts.counters.passed_over) {
    for (const std::string_view kind : {"generic: ", "device: "}) {
      if (rung.starts_with(kind)) text += " (" + rung.substr(kind.size()) + ")";
    }
  }
  return text + ": this rests on measured ceilings, the machine code" +
         (facts.sweep.points.size() > 1 ? " and the same piece at other sizes." : " and no other size.");
}

std::string paragraph(const Facts& facts, const BoundVerdict& verdict) {
  std::string text;
  if (verdict.bound == Bound::kUnclear) {
    text =
        facts.measured_ns > 0 ? "No rule explains most of the time." : "Its time is not known, so nothing can be compared with it.";
  } else {
    text = "Bound by " + subject_of(verdict.findings.front()) + " (" + std::string(name_of(verdict.certainty)) + ").";
  }
  if (!verdict.findings.empty()) {
    const Finding& first = verdict.findings.front();
    for (const std::string& line : first.evidence) text += " " + line + ".";
  }
  if (verdict.findings.size() > 1 && verdict.findings[1].share > kWorthSaying) {
    const Finding& next = verdict.findings[1];
    text += " Next: " + std::string(name_of(next.bound)) + (next.where.empty() ? "" : " (" + next.where + ")") + ", " +
            percent(next.share) +
            (next.share >= kLikely ? ", so that relieving the first alone gains at most " + percent(1 - next.share) : "") + ".";
  }
  if (facts.measured_ns > 0) text += state_of_caches(facts);
  const std::string missing = what_is_missing(facts);
  return missing.empty() ? text : text + " " + missing;
}

// Rules that name the same bound by different evidence share a finding.
void add(Finding finding, std::vector<Finding>& findings) {
  const auto same = std::ranges::find_if(
      findings, [&](const Finding& each) { return each.bound == finding.bound && each.where == finding.where; });
  if (same == findings.end()) {
    findings.push_back(std::move(finding));
    return;
  }
  same->share = std::max(same->share, finding.share);
  same->evidence.insert(same->evidence.end(), finding.evidence.begin(), finding.evidence.end());
  same->rests_on.insert(same->rests_on.end(), finding.rests_on.begin(), finding.rests_on.end());
}

}  // namespace

BoundVerdict judge(const Facts& facts) {
  BoundVerdict verdict;
  for (const Rule rule : verdict_rules()) {
    for (Finding& finding : rule(facts)) add(std::move(finding), verdict.findings);
  }
  for (const Rule rule : device_rules()) {
    for (Finding& finding : rule(facts)) add(std::move(finding), verdict.findings);
  }
  std::stable_sort(verdict.findings.begin(), verdict.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.share > b.share; });
  if (!verdict.findings.empty() && verdict.findings.front().share >= kExplains) {
    const Finding& first = verdict.findings.front();
    verdict.bound = first.bound;
    verdict.where = first.where;
    verdict.certainty = certainty_of(first);
  }
  for (const Finding& finding : verdict.findings) {
    if (finding.share >= kWorthSaying || finding.bound == Bound::kSpills)
      verdict.look_at.push_back(std::string(name_of(finding.bound)) + ", up to " + percent(finding.share) +
                                " of the time: " + advice_of(finding));
  }
  verdict.text = paragraph(facts, verdict);
  return verdict;
}

}  // namespace fuselab::profile

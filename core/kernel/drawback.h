// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/launch_config.h"

namespace fuselab {

// A property of a kernel, other than its time, for which it is measured and shown but chosen only where the user accepts it. A
// kernel states it in its launch configuration. The statement is thereby part of the kernel's identity, is stored with each trial
// and appears in every command that repeats one.
enum class Drawback : std::uint8_t {
  kNanLoss,        // may give a number where the right result is NaN; stated as nan=lost
  kWinogradError,  // larger error, which what is large, infinite or NaN spreads over neighbouring results; stated as winograd=1
  kPrecisionLoss,  // beyond its type's tolerance, or wrong where inputs are large, infinite or NaN; stated as
                   // precision=lost
};

// The words and the statement of a drawback.
struct DrawbackInfo {
  Drawback drawback;
  std::string_view statement;   // "nan=lost": one parameter of a launch configuration with its value
  std::string_view name;        // "nan-loss": the value of --accept
  std::string_view key;         // "nan_loss": the member of JSON documents
  std::string_view verb;        // "loses NaN": of a plan that has it
  std::string_view meaning;     // in half a sentence
  std::string_view avoided_by;  // a constraint of a space, met by the configurations without it; empty: all of a kernel have it
};
inline constexpr std::array<DrawbackInfo, 3> kDrawbacks = {{
    {Drawback::kNanLoss, "nan=lost", "nan-loss", "nan_loss", "loses NaN", "gives a number where NaN is right", ""},
    {Drawback::kWinogradError, "winograd=1", "winograd-error", "winograd_error", "has Winograd's error",
     "is 4 to 9 times as far from the exact result, and spreads large numbers and NaN over a tile", "winograd == 0"},
    {Drawback::kPrecisionLoss, "precision=lost", "precision-loss", "precision_loss", "loses precision",
     "leaves its type's tolerance where results are small, or is wrong where inputs are large, infinite or NaN", ""},
}};

inline constexpr std::string_view kNanParameter = "nan";
inline constexpr std::string_view kNanLost = "lost";
inline constexpr std::string_view kWinogradParameter = "winograd";

// A set of drawbacks. A value type.
class Drawbacks {
 public:
  Drawbacks() = default;
  Drawbacks(std::initializer_list<Drawback> drawbacks) {
    for (const Drawback drawback : drawbacks) add(drawback);
  }

  void add(Drawback drawback) { bits_ |= bit(drawback); }
  bool has(Drawback drawback) const { return (bits_ & bit(drawback)) != 0; }
  bool empty() const { return bits_ == 0; }
  Drawbacks operator|(Drawbacks other) const { return Drawbacks(static_cast<std::uint8_t>(bits_ | other.bits_)); }
  Drawbacks without(Drawbacks other) const { return Drawbacks(static_cast<std::uint8_t>(bits_ & ~other.bits_)); }
  bool operator==(const Drawbacks&) const = default;

 private:
  explicit Drawbacks(std::uint8_t bits) : bits_(bits) {}
  static std::uint8_t bit(Drawback drawback) { return static_cast<std::uint8_t>(1U << static_cast<unsigned>(drawback)); }
  std::uint8_t bits_ = 0;
};

// Returns true for kernels whose tolerance is wider and relative to the largest result; with large and special inputs their results
// are not compared at all.
inline bool has_wider_tolerance(Drawbacks stated) {
  return stated.has(Drawback::kWinogradError) || stated.has(Drawback::kPrecisionLoss);
}

// The drawbacks of a measured plan, beside those that the user accepts.
struct PlanDrawbacks {
  Drawbacks stated;
  Drawbacks withheld;  // those of them that are not accepted

  bool any() const { return !stated.empty(); }
  bool is_withheld() const { return !withheld.empty(); }
  PlanDrawbacks operator|(const PlanDrawbacks& other) const { return {stated | other.stated, withheld | other.withheld}; }
  bool operator==(const PlanDrawbacks&) const = default;
};

inline PlanDrawbacks withheld_for(Drawback drawback) {
  return {{drawback}, {drawback}};
}
inline PlanDrawbacks accepted_with(Drawback drawback) {
  return {{drawback}, {}};
}

Drawbacks drawbacks_of(const LaunchConfig& config);
// Does so for a plan, given the stored configurations of its kernels, joined by ';'. They are read as text: rows of other versions
// may hold what today's LaunchConfig does not parse.
Drawbacks drawbacks_of(std::string_view configs);
PlanDrawbacks plan_drawbacks(std::string_view configs, Drawbacks accepted);

// A drawback as a parameter of a launch configuration, which has no other value where all configurations have the drawback.
struct DrawbackParameter {
  std::string name, value;  // "nan", "lost"
  std::string description;  // "lost: gives a number where NaN is right"
};
std::vector<DrawbackParameter> parameters_of(Drawbacks drawbacks);

// Returns "nan=lost", several joined by ", ".
std::string statements_of(Drawbacks drawbacks);
// Returns "loses NaN", several joined by "and".
std::string verbs_of(Drawbacks drawbacks);
// Returns "--accept nan-loss", several in a row.
std::string accepting(Drawbacks drawbacks);
// Returns "loses NaN (--accept nan-loss takes it)", and the same with "it" before.
std::string withheld_words(Drawbacks drawbacks);
std::string why_withheld(Drawbacks drawbacks);

}  // namespace fuselab

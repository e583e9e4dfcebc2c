// SPDX-License-Identifier: Apache-2.0
#include "app/engine/own/own_check.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "core/base/ascii.h"
#include "core/base/words.h"
#include "core/tuning/own_space.h"

namespace fuselab::engine {
namespace {

// Names of a launch configuration that mean something to a device, or that a kernel states about itself.
constexpr std::string_view kTakenNames[] = {"threads", "nan", "winograd", "precision", "dot", "schedule", "chunk", "proc_bind"};

bool is_letter_or_digit(char c) {
  return is_letter(c) || is_digit(c);
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && is_letter(text.front()) && std::ranges::all_of(text, is_letter_or_digit);
}

bool holds_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_letter_or_digit(text[at - 1])) && (end == text.size() || !is_letter_or_digit(text[end]))) return true;
  }
  return false;
}

// The number that a text spells, as it is written elsewhere; empty: it spells none.
std::string as_number(const std::string& text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? std::to_string(number) : std::string();
}

class OwnCheck {
 public:
  OwnCheck(const OwnText& read, const std::string& file) : read_(read), kernel_(read.kernel), file_(file) {}

  Status all() const {
    FL_TRY_VOID(names());
    FL_TRY_VOID(tensors());
    FL_TRY_VOID(space());
    FL_TRY_VOID(used());
    return launch();
  }

 private:
  Error wrong(const std::string& what) const { return invalid_argument(file_ + ": " + what); }
  Error wrong_parameter(std::size_t index, const std::string& what) const {
    const std::string line = index < read_.parameter_lines.size() ? ":" + std::to_string(read_.parameter_lines[index]) : "";
    return invalid_argument(file_ + line + ": parameter '" + kernel_.parameters[index].name + "' " + what);
  }

  Status names() const {
    if (!is_name(kernel_.function)) return wrong("function is '" + kernel_.function + "', which is no name of a C function");
    std::set<std::string> arguments;
    for (const OwnArgument& each : kernel_.arguments) {
      if (!is_name(each.name)) return wrong("argument '" + each.name + "' needs a name of letters, digits and _");
      if (!arguments.insert(each.name).second) return wrong("two arguments have the name '" + each.name + "'");
    }
    std::set<std::string> seen;
    for (const auto& [name, size] : kernel_.sizes) {
      if (!is_name(name)) return wrong("a size needs a name of letters, digits and _");
      seen.insert(name);
    }
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
      const std::string& name = kernel_.parameters[i].name;
      if (!seen.insert(name).second) return wrong_parameter(i, "has the name of a size");
      if (std::ranges::find(kTakenNames, name) != std::end(kTakenNames) || name.starts_with("fl_"))
        return wrong_parameter(i, "has a name that Fuselab uses itself; choose another");
    }
    return {};
  }

  Status tensors() const {
    if (!read_.not_runnable.empty()) return {};
    if (std::ranges::any_of(kernel_.arguments, [](const OwnArgument& each) { return each.is_written(); })) return {};
    return wrong("no argument has the role out or inout, so nothing can be compared");
  }

  Status space() const {
    constexpr std::size_t kMostParameters = 64;
    constexpr std::int64_t kMostTried = 10'000'000;
    if (kernel_.parameters.size() > kMostParameters)
      return wrong("there are more than " + std::to_string(kMostParameters) + " parameters");
    auto space = own_space_of(kernel_);
    if (!space.ok()) return space.error().within(file_);
    const auto meets = space.value().check(own_defaults_of(kernel_));
    if (meets.ok()) return {};
    if (space.value().cartesian_size() <= kMostTried && space.value().enumerate(1).empty())
      return wrong("the constraints leave no configuration; loosen one of them");
    return wrong("the default configuration is not allowed: " + meets.error().message);
  }

  // A parameter that changes nothing multiplies the space for nothing.
  Status used() const {
    std::string formulas = kernel_.tasks + " " + kernel_.shared_bytes;
    for (const auto* const axes : {&kernel_.grid, &kernel_.block}) formulas += " " + joined(*axes, " ");
    for (const OwnArgument& each : kernel_.arguments) formulas += " " + each.value;
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
      const OwnParameter& each = kernel_.parameters[i];
      for (const std::string& value : each.values) {
        if (const std::string number = as_number(value); !number.empty() && number != value)
          return wrong_parameter(i, "has the value " + value + "; write " + number);
      }
      const bool matters = !each.flags.empty() || each.values.size() == 1 || holds_word(formulas, each.name) ||
                           kernel_.source.empty() || holds_word(kernel_.source, each.name);
      if (!matters)
        return wrong_parameter(
            i, "is used neither in " + joined(read_.sources) + " nor by a formula of the launch; use it there or remove it");
    }
    return {};
  }

  Status launch() const {
    const LaunchConfig config = own_defaults_of(kernel_);
    FL_TRY_VOID(at_least_one("tasks", kernel_.tasks, config));
    constexpr const char* kAxes[] = {" x", " y", " z"};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      FL_TRY_VOID(at_least_one(std::string("grid") + kAxes[axis], kernel_.grid[axis], config));
      FL_TRY_VOID(at_least_one(std::string("block") + kAxes[axis], kernel_.block[axis], config));
    }
    for (const OwnArgument& each : kernel_.arguments) {
      if (each.has_elements()) FL_TRY_VOID(at_least_one("elements of '" + each.name + "'", each.value, config));
    }
    return {};
  }
  Status at_least_one(const std::string& what, const std::string& text, const LaunchConfig& config) const {
    const auto value = own_formula(kernel_, text, config);
    if (!value.ok()) return wrong(what + ": " + value.error().message);
    return value.value() >= 1
               ? Status()
               : Status(wrong(what + ": '" + text + "' is " + std::to_string(value.value()) + " in the default configuration"));
  }

  const OwnText& read_;
  const OwnKernel& kernel_;
  const std::string& file_;
};

}  // namespace

Status check_own_kernel(const OwnText& read, const std::string& file) {
  return OwnCheck(read, file).all();
}

}  // namespace fuselab::engine

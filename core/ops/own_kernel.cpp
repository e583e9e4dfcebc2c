// SPDX-License-Identifier: Apache-2.0
#include "core/ops/own_kernel.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>

#include "core/base/ascii.h"
#include "core/base/words.h"

namespace fuselab {
namespace {

struct RoleName {
  OwnRole role;
  std::string_view name;
};
constexpr RoleName kRoles[] = {{OwnRole::kIn, "in"},         {OwnRole::kOut, "out"},     {OwnRole::kInOut, "inout"},
                               {OwnRole::kScalar, "scalar"}, {OwnRole::kLocal, "local"}, {OwnRole::kScratch, "scratch"},
                               {OwnRole::kTask, "task"}};

constexpr std::string_view kNothing = "-";  // stands for an empty word

std::string number_text(double number) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number);
  return {text, end.ptr};
}

std::string word_or_nothing(const std::string& word) {
  return word.empty() ? std::string(kNothing) : word;
}

// The lines of the attribute `definition`. Each begins with a word that says what it is; free text stands last.
class DefinitionWriter {
 public:
  explicit DefinitionWriter(const OwnKernel& kernel) {
    line("name", kernel.name);
    line("language", kernel.language);
    line("function", kernel.function);
    line("file", kernel.source_name);
    for (const auto& [name, size] : kernel.sizes) line("size", name + " " + std::to_string(size));
    for (const OwnArgument& argument : kernel.arguments) write(argument);
    for (const OwnParameter& parameter : kernel.parameters) write(parameter);
    for (const OwnConstraint& each : kernel.constraints) {
      line("constraint", each.expression);
      line("reason", each.reason);
    }
    for (const std::string& formula : kernel.grid) line("grid", formula);
    for (const std::string& formula : kernel.block) line("block", formula);
    line("tasks", kernel.tasks);
    line("shared", kernel.shared_bytes);
    for (const std::string& flag : kernel.flags) line("flag", flag);
    line("flops", number_text(kernel.flops));
    line("bytes", number_text(kernel.bytes));
    line("relative", number_text(kernel.relative));
    line("absolute", number_text(kernel.absolute));
    line("special", kernel.special_inputs ? "1" : "0");
  }
  std::string take() { return std::move(text_); }

 private:
  // What is checked before holds no line's end; one would begin another line.
  void line(std::string_view what, std::string rest) {
    std::ranges::replace(rest, '\n', ' ');
    text_ += std::string(what) + " " + rest + "\n";
  }

  void write(const OwnArgument& argument) {
    const std::string& last = argument.is_tensor() ? argument.fill : argument.value;
    line("argument", argument.name + " " + std::string(name_of(argument.role)) + " " + std::string(name_of(argument.element)) +
                         " " + shape_text(argument.shape) + " " + word_or_nothing(last));
    if (!argument.expected.empty()) line("expected", argument.expected);
  }
  void write(const OwnParameter& parameter) {
    line("parameter", parameter.name + " " + parameter.otherwise + " " + joined(parameter.values, " "));
    for (const std::string& flags : parameter.flags) line("choice", flags);
  }

  std::string text_;
};

std::string_view take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && is_letter(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c); });
}

class DefinitionReader {
 public:
  explicit DefinitionReader(std::string_view text) : text_(text) {}

  Result<OwnKernel> read() {
    while (!text_.empty()) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      rest_ = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      const std::string_view what = take_word(rest_);
      FL_TRY_VOID(take(what));
    }
    if (grids_ != 3 || blocks_ != 3) return wrong("three lines of grid and three of block");
    for (const OwnParameter& each : kernel_.parameters) {
      if (std::ranges::find(each.values, each.otherwise) == each.values.end())
        return wrong("a default of '" + each.name + "' among its values");
      if (!each.flags.empty() && each.flags.size() != each.values.size())
        return wrong("as many choices as '" + each.name + "' has values");
    }
    return std::move(kernel_);
  }

 private:
  static Error wrong(const std::string& expected) { return invalid_argument("its definition should have " + expected); }

  Status take(std::string_view what) {
    if (what == "name") return text(kernel_.name);
    if (what == "language") return text(kernel_.language);
    if (what == "function") return name(kernel_.function);
    if (what == "file") return text(kernel_.source_name);
    if (what == "size") return size();
    if (what == "argument") return argument();
    if (what == "expected")
      return kernel_.arguments.empty() ? Status(wrong("nothing expected without an argument"))
                                       : text(kernel_.arguments.back().expected);
    if (what == "parameter") return parameter();
    if (what == "choice") return choice();
    if (what == "constraint") return text(kernel_.constraints.emplace_back().expression);
    if (what == "reason")
      return kernel_.constraints.empty() ? Status(wrong("no reason without a constraint"))
                                         : text(kernel_.constraints.back().reason);
    if (what == "grid") return grids_ < 3 ? text(kernel_.grid[grids_++]) : Status(wrong("three lines of grid"));
    if (what == "block") return blocks_ < 3 ? text(kernel_.block[blocks_++]) : Status(wrong("three lines of block"));
    if (what == "tasks") return text(kernel_.tasks);
    if (what == "shared") return text(kernel_.shared_bytes);
    if (what == "flag") return text(kernel_.flags.emplace_back());
    if (what == "flops") return real(kernel_.flops);
    if (what == "bytes") return real(kernel_.bytes);
    if (what == "relative") return real(kernel_.relative);
    if (what == "absolute") return real(kernel_.absolute);
    if (what == "special") return special();
    return wrong("no line '" + std::string(what.substr(0, 32)) + "'");
  }

  Status text(std::string& into) {
    into = rest_;
    return {};
  }
  Status name(std::string& into) {
    if (!is_name(rest_)) return wrong("a name instead of '" + std::string(rest_.substr(0, 64)) + "'");
    return text(into);
  }
  Status real(double& into) {
    const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), into);
    return read.ec == std::errc() && read.ptr == rest_.data() + rest_.size() && std::isfinite(into) && into >= 0 && into <= 1e18
               ? Status()
               : Status(wrong("a number that is not negative"));
  }
  Status special() {
    kernel_.special_inputs = rest_ == "1";
    return {};
  }
  Status size() {
    const std::string_view of = take_word(rest_);
    std::int64_t extent = 0;
    const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
    if (!is_name(of) || read.ec != std::errc()) return wrong("a name and a number for each size");
    kernel_.sizes[std::string(of)] = extent;
    return {};
  }
  Status argument() {
    OwnArgument argument;
    argument.name = take_word(rest_);
    if (!is_name(argument.name)) return wrong("a name for each argument");
    FL_TRY(argument.role, parse_own_role(take_word(rest_)));
    const auto element = parse_dtype(take_word(rest_));
    if (!element) return wrong("an element type for '" + argument.name + "'");
    argument.element = *element;
    FL_TRY(argument.shape, shape(take_word(rest_)));
    const std::string last(rest_ == kNothing ? std::string_view() : rest_);
    (argument.is_tensor() ? argument.fill : argument.value) = last;
    kernel_.arguments.push_back(std::move(argument));
    return {};
  }
  static Result<Shape> shape(std::string_view text) {
    if (text.size() < 2 || text.front() != '[' || text.back() != ']') return wrong("a shape in brackets");
    Shape shape;
    text = text.substr(1, text.size() - 2);
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(','), text.size());
      FL_TRY(Dim dim, parse_extent(text.substr(0, end)));
      if (dim.is_symbol() || shape.size() == kMaxRank) return wrong("at most 8 extents that are numbers");
      shape.push_back(std::move(dim));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    FL_TRY_VOID(element_count(shape));
    return shape;
  }
  Status parameter() {
    OwnParameter parameter;
    parameter.name = take_word(rest_);
    parameter.otherwise = take_word(rest_);
    if (!is_name(parameter.name)) return wrong("a name for each parameter");
    while (!rest_.empty()) parameter.values.emplace_back(take_word(rest_));
    kernel_.parameters.push_back(std::move(parameter));
    return {};
  }
  Status choice() {
    if (kernel_.parameters.empty()) return wrong("no choice without a parameter");
    return text(kernel_.parameters.back().flags.emplace_back());
  }

  std::string_view text_, rest_;
  OwnKernel kernel_;
  std::size_t grids_ = 0, blocks_ = 0;
};

}  // namespace

std::string_view name_of(OwnRole role) {
  return std::ranges::find(kRoles, role, &RoleName::role)->name;
}

std::string_view spelled_language(std::string_view language) {
  if (language == "c") return "C";
  return language == "opencl" ? "OpenCL C" : language == "cuda" ? "CUDA" : "another language";
}

Result<OwnRole> parse_own_role(std::string_view name) {
  const auto found = std::ranges::find(kRoles, name, &RoleName::name);
  if (found != std::end(kRoles)) return found->role;
  return invalid_argument("'" + std::string(name) + "' is no role of an argument: in, out, inout, scalar, local, scratch, task");
}

Attributes attributes_of(const OwnKernel& kernel) {
  return {{"definition", DefinitionWriter(kernel).take()}, {"source", kernel.source}, {"reference", kernel.reference}};
}

Result<OwnKernel> own_kernel_of(const Attributes& attributes) {
  const std::string definition = attributes.text("definition", "");
  FL_TRY(OwnKernel kernel, DefinitionReader(definition).read());
  kernel.source = attributes.text("source", "");
  kernel.reference = attributes.text("reference", "");
  return kernel;
}

}  // namespace fuselab

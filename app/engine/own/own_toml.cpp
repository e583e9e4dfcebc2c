// SPDX-License-Identifier: Apache-2.0
#include "app/engine/own/own_toml.h"

#include <algorithm>
#include <charconv>

#include "app/engine/own/own_flags.h"
#include "app/engine/own/own_tensors.h"
#include "app/engine/toml/toml_table.h"
#include "core/base/words.h"
#include "core/kernel/abi.h"

namespace fuselab::engine {
namespace {

constexpr double kLargestTolerance = 1e18;
constexpr std::string_view kLanguages[] = {"c", "opencl", "cuda"};

// Flags of a compiler, each entry of them several or none.
Result<std::optional<std::vector<std::string>>> flags_of(const TomlTable& table) {
  FL_TRY(auto flags, table.maybe_empty_texts("flags"));
  for (const std::string& each : flags.value_or(std::vector<std::string>())) {
    if (const Status taken = check_own_flags(each); !taken.ok()) return table.error_of("flags", "has " + taken.error().message);
  }
  return flags;
}

bool names_tensor(std::string_view fill) {
  return fill.ends_with(".npy") || fill.ends_with(".npz") || fill.find(".npz:") != std::string_view::npos || fill.ends_with(".pb");
}

class OwnReader {
 public:
  OwnReader(const toml::table& root, const std::string& file, const Bindings& asked)
      : file_(file), top_(root, file, "a kernel's file"), asked_(asked) {}

  Result<OwnText> read() {
    FL_TRY_VOID(top_.knows_only({"name", "language", "source", "function", "reference", "sizes", "argument", "launch", "parameters",
                                 "constraint", "compiler", "cost", "tolerance"}));
    FL_TRY_VOID(read_head());
    FL_TRY_VOID(read_sizes());
    FL_TRY_VOID(read_arguments());
    FL_TRY_VOID(read_parameters());
    FL_TRY_VOID(read_constraints());
    FL_TRY_VOID(read_launch());
    FL_TRY_VOID(read_compiler());
    FL_TRY_VOID(read_cost());
    FL_TRY_VOID(read_tolerance());
    return std::move(read_);
  }

 private:
  Result<TomlTable> inner(const toml::table& table, std::string name) const { return TomlTable(table, file_, std::move(name)); }

  Status read_head() {
    OwnKernel& kernel = read_.kernel;
    FL_TRY(const auto language, top_.text("language"));
    if (!language) return top_.error_at(top_.line(), "the file needs language = \"c\", \"opencl\" or \"cuda\"");
    if (std::ranges::find(kLanguages, *language) == std::end(kLanguages))
      return top_.error_of("language", "is '" + *language + "'; this Fuselab takes " + joined(kLanguages));
    kernel.language = *language;
    FL_TRY(const auto function, top_.text("function"));
    if (!function) return top_.error_at(top_.line(), "the file needs function = \"…\", the name of the kernel in its source");
    kernel.function = *function;
    FL_TRY(const auto name, top_.text("name"));
    kernel.name = name.value_or(*function);
    FL_TRY(const auto sources, top_.texts("source"));
    if (!sources) return top_.error_at(top_.line(), "the file needs source = \"…\", a file beside it");
    read_.sources = *sources;
    FL_TRY(const auto reference, top_.long_text("reference"));
    if (!reference) return {};
    const std::size_t first = reference->find_first_not_of(" \t\r\n");
    if (first != std::string::npos && reference->compare(first, 5, "graph") == 0 && reference->find('{') != std::string::npos)
      kernel.reference = *reference;
    else if (*reference == kOwnDefault)
      kernel.reference = *reference;
    else
      read_.reference_file = *reference;
    return {};
  }

  Status read_sizes() {
    FL_TRY(const toml::table* const sizes, top_.table("sizes"));
    if (sizes != nullptr) {
      const TomlTable table(*sizes, file_, "[sizes]");
      for (const auto& [key, node] : *sizes) {
        const auto* const whole = node.as_integer();
        if (whole == nullptr || whole->get() < 1) return table.error_of(key.str(), "must be a whole number, at least 1");
        read_.kernel.sizes[std::string(key.str())] = whole->get();
      }
    }
    for (const auto& [name, size] : asked_) {
      const auto known = read_.kernel.sizes.find(name);
      if (known == read_.kernel.sizes.end()) {
        std::vector<std::string> names;
        for (const auto& [each, value] : read_.kernel.sizes) names.push_back(each);
        return invalid_argument("--shape: '" + name + "' is no size of " + file_ + "; it has " +
                                (names.empty() ? "none" : joined(names)));
      }
      known->second = size;
    }
    return {};
  }

  Status read_arguments() {
    FL_TRY(const auto tables, top_.tables("argument"));
    if (tables.empty()) return top_.error_at(top_.line(), "the file needs an [[argument]] for each of the function's");
    for (const toml::table* const each : tables) {
      FL_TRY(OwnArgument argument, read_argument(TomlTable(*each, file_, "[[argument]]")));
      read_.kernel.arguments.push_back(std::move(argument));
    }
    return {};
  }

  Result<OwnArgument> read_argument(const TomlTable& table) const {
    FL_TRY_VOID(table.knows_only({"name", "type", "role", "shape", "value", "fill", "expected", "elements"}));
    OwnArgument argument;
    FL_TRY(const auto name, table.text("name"));
    if (!name) return table.error_at(table.line(), "[[argument]] needs a name");
    argument.name = *name;
    FL_TRY(const auto role, table.text("role"));
    if (!role)
      return table.error_at(table.line(), "argument '" + *name + "' needs a role: in, out, inout, scalar, local, scratch or task");
    auto known = parse_own_role(*role);
    if (!known.ok()) return table.error_of("role", "cannot be read: " + known.error().message);
    argument.role = known.value();
    if (argument.role == OwnRole::kTask && read_.kernel.language != "c")
      return table.error_of("role", "is task, which only C kernels have");
    if (argument.role == OwnRole::kLocal && read_.kernel.language == "cuda")
      return table.error_of("role", "is local; CUDA kernels take dynamic shared memory by shared_bytes of [launch]");
    FL_TRY(const auto type, table.text("type"));
    if (!type && argument.role != OwnRole::kTask)
      return table.error_at(table.line(), "argument '" + *name + "' needs a type, such as f32");
    const auto element = type ? parse_dtype(*type) : DType::kI64;
    if (!element)
      return table.error_of("type", "is '" + *type + "'; f64, f32, f16, bf16, i64, i32, i16, i8, u64 … u8 and bool are types");
    argument.element = *element;
    if (argument.is_tensor()) {
      FL_TRY(argument.shape, shape_of(table, *name));
    } else if (table.has("shape")) {
      return table.error_of("shape", "is for arguments of the roles in, out and inout");
    }
    FL_TRY_VOID(read_value(table, argument));
    return argument;
  }

  Status read_value(const TomlTable& table, OwnArgument& argument) const {
    FL_TRY(const auto value, table.written("value"));
    FL_TRY(const auto elements, table.written("elements"));
    FL_TRY(const auto fill, table.written("fill"));
    if (fill && !argument.is_read()) return table.error_of("fill", "is for arguments of the roles in and inout");
    FL_TRY(const auto expected, table.text("expected"));
    if (expected && !argument.is_written()) return table.error_of("expected", "is for arguments of the roles out and inout");
    if (expected) argument.expected = std::string(kTensorFile) + *expected;
    if (fill && names_tensor(*fill)) {
      argument.fill = std::string(kTensorFile) + *fill;
    } else if (fill && *fill != "seed") {
      double number = 0;
      const auto read = std::from_chars(fill->data(), fill->data() + fill->size(), number);
      if (read.ec != std::errc() || read.ptr != fill->data() + fill->size())
        return table.error_of("fill", "is '" + *fill + "'; it may be \"seed\", a number, or the name of a .npy file");
      argument.fill = *fill;
    }
    if (argument.role == OwnRole::kScalar) {
      if (!value) return table.error_at(table.line(), "argument '" + argument.name + "' is a scalar and needs a value");
      argument.value = *value;
      if (const auto whole = size_formula(*value, read_.kernel.sizes); whole.ok()) argument.value = std::to_string(whole.value());
      EntryParameter passed;
      passed.element = argument.element;
      passed.number = argument.value;
      if (!number_bytes(passed).ok())
        return table.error_of(
            "value", "is '" + *value + "', which is no " + std::string(name_of(argument.element)) + " and no formula of sizes");
    } else if (value) {
      return table.error_of("value", "is for arguments of the role scalar");
    }
    if (argument.has_elements()) {
      if (!elements)
        return table.error_at(table.line(), "argument '" + argument.name + "' is " + std::string(name_of(argument.role)) +
                                                " and needs elements, a formula");
      argument.value = *elements;
    } else if (elements) {
      return table.error_of("elements", "is for arguments of the roles local and scratch");
    }
    return {};
  }

  Result<Shape> shape_of(const TomlTable& table, const std::string& name) const {
    FL_TRY(const auto extents, table.all_written("shape"));
    if (!extents) return table.error_at(table.line(), "argument '" + name + "' needs a shape, such as [\"height\", \"width\"]");
    Shape shape;
    for (const std::string& each : *extents) {
      const auto extent = size_formula(each, read_.kernel.sizes);
      if (!extent.ok()) return table.error_of("shape", "has '" + each + "': " + extent.error().message);
      if (extent.value() < 1) return table.error_of("shape", "has '" + each + "', which is " + std::to_string(extent.value()));
      shape.emplace_back(extent.value());
    }
    if (shape.size() > kMaxRank) return table.error_of("shape", "has more than 8 extents");
    if (!element_count(shape).ok()) return table.error_of("shape", "has too many elements");
    return shape;
  }

  Status read_parameters() {
    FL_TRY(const toml::table* const parameters, top_.table("parameters"));
    if (parameters == nullptr) return {};
    // In the order of the file: toml++ sorts them by name.
    std::vector<std::pair<int, std::string>> order;
    for (const auto& [key, node] : *parameters)
      order.emplace_back(static_cast<int>(key.source().begin.line), std::string(key.str()));
    std::ranges::sort(order);
    const TomlTable table(*parameters, file_, "[parameters]");
    for (const auto& [line, name] : order) {
      OwnParameter parameter;
      parameter.name = name;
      const toml::node& node = *parameters->get(name);
      if (const toml::table* const more = node.as_table()) {
        FL_TRY_VOID(read_parameter(TomlTable(*more, file_, "parameter '" + name + "'"), parameter));
      } else {
        FL_TRY(const auto values, table.all_written(name));
        parameter.values = *values;
      }
      if (parameter.values.empty()) return table.error_of(name, "has no values");
      if (parameter.otherwise.empty()) parameter.otherwise = parameter.values.front();
      if (std::ranges::find(parameter.values, parameter.otherwise) == parameter.values.end())
        return table.error_of(name, "has the default " + parameter.otherwise + ", which is not among its values");
      read_.kernel.parameters.push_back(std::move(parameter));
      read_.parameter_lines.push_back(line);
    }
    return {};
  }

  static Status read_parameter(const TomlTable& table, OwnParameter& parameter) {
    FL_TRY_VOID(table.knows_only({"values", "from", "to", "step", "default", "flags"}));
    FL_TRY(const auto values, table.all_written("values"));
    if (values) parameter.values = *values;
    if (!values) FL_TRY_VOID(read_range(table, parameter));
    FL_TRY(const auto otherwise, table.written("default"));
    if (otherwise) parameter.otherwise = *otherwise;
    FL_TRY(const auto flags, flags_of(table));
    if (!flags) return {};
    if (flags->size() != parameter.values.size())
      return table.error_of("flags", "lists " + std::to_string(flags->size()) + ", and there are " +
                                         counted(static_cast<std::int64_t>(parameter.values.size()), "value"));
    parameter.flags = *flags;
    return {};
  }

  static Status read_range(const TomlTable& table, OwnParameter& parameter) {
    FL_TRY(const auto from, table.whole("from"));
    FL_TRY(const auto to, table.whole("to"));
    FL_TRY(const auto step, table.whole("step"));
    if (!from || !to) return table.error_at(table.line(), "a parameter needs values = […], or from and to");
    if (step.value_or(1) < 1) return table.error_of("step", "must be at least 1");
    const std::uint64_t steps =
        (static_cast<std::uint64_t>(*to) - static_cast<std::uint64_t>(*from)) / static_cast<std::uint64_t>(step.value_or(1));
    if (*to < *from || steps >= 4096) return table.error_of("to", "must lie above from, by at most 4096 steps");
    for (std::uint64_t at = 0; at <= steps; ++at)
      parameter.values.push_back(std::to_string(*from + static_cast<std::int64_t>(at) * step.value_or(1)));
    return {};
  }

  Status read_constraints() {
    FL_TRY(const auto tables, top_.tables("constraint"));
    for (const toml::table* const each : tables) {
      const TomlTable table(*each, file_, "[[constraint]]");
      FL_TRY_VOID(table.knows_only({"expression", "reason"}));
      FL_TRY(const auto expression, table.text("expression"));
      if (!expression)
        return table.error_at(table.line(), "[[constraint]] needs an expression, such as \"tile_x * tile_y <= 1024\"");
      FL_TRY(const auto reason, table.text("reason"));
      read_.kernel.constraints.push_back({*expression, reason.value_or("the kernel's file says so")});
    }
    return {};
  }

  Status read_launch() {
    FL_TRY(const toml::table* const launch, top_.table("launch"));
    const bool is_c = read_.kernel.language == "c";
    if (launch == nullptr)
      return is_c ? Status() : Status(top_.error_at(top_.line(), "the file needs [launch] with grid or problem, and block"));
    const TomlTable table(*launch, file_, "[launch]");
    FL_TRY_VOID(is_c ? table.knows_only({"tasks"}) : table.knows_only({"grid", "block", "problem", "divisors", "shared_bytes"}));
    if (is_c) {
      FL_TRY(const auto tasks, table.written("tasks"));
      read_.kernel.tasks = tasks.value_or("1");
      return {};
    }
    FL_TRY_VOID(read_axes(table, "block", read_.kernel.block));
    FL_TRY(const auto shared, table.written("shared_bytes"));
    read_.kernel.shared_bytes = shared.value_or("0");
    if (table.has("grid")) return read_axes(table, "grid", read_.kernel.grid);
    return read_problem(table);
  }

  static Status read_axes(const TomlTable& table, std::string_view key, std::array<std::string, 3>& axes) {
    FL_TRY(const auto formulas, table.all_written(key));
    if (!formulas || formulas->empty() || formulas->size() > 3) return table.error_of(key, "must list 1 to 3 formulas");
    std::ranges::copy(*formulas, axes.begin());
    return {};
  }

  // Kernel Tuner counts so: the problem's size along an axis, divided by what a block of it covers, rounded up.
  Status read_problem(const TomlTable& table) {
    FL_TRY(const auto problem, table.all_written("problem"));
    if (!problem || problem->empty() || problem->size() > 3)
      return table.error_at(table.line(), "[launch] needs grid = […] or problem = […], 1 to 3 formulas");
    FL_TRY(const auto divisors, table.all_written("divisors"));
    for (std::size_t axis = 0; axis < problem->size(); ++axis) {
      const std::string divisor = divisors && axis < divisors->size() ? (*divisors)[axis] : read_.kernel.block[axis];
      read_.kernel.grid[axis] = "ceil_div(" + (*problem)[axis] + ", " + divisor + ")";
    }
    return {};
  }

  Status read_compiler() {
    FL_TRY(const toml::table* const compiler, top_.table("compiler"));
    if (compiler == nullptr) return {};
    const TomlTable table(*compiler, file_, "[compiler]");
    FL_TRY_VOID(table.knows_only({"flags"}));
    FL_TRY(const auto flags, flags_of(table));
    if (flags) read_.kernel.flags = *flags;
    return {};
  }

  Status read_cost() {
    FL_TRY(const toml::table* const cost, top_.table("cost"));
    if (cost == nullptr) return {};
    const TomlTable table(*cost, file_, "[cost]");
    FL_TRY_VOID(table.knows_only({"flops", "bytes"}));
    for (const auto& [key, into] : {std::pair{"flops", &read_.kernel.flops}, std::pair{"bytes", &read_.kernel.bytes}}) {
      FL_TRY(const auto formula, table.written(key));
      if (!formula) continue;
      const auto value = size_formula(*formula, read_.kernel.sizes);
      if (!value.ok() || value.value() < 0)
        return table.error_of(key, "cannot be computed: " + (value.ok() ? "it is negative" : value.error().message));
      *into = static_cast<double>(value.value());
    }
    return {};
  }

  Status read_tolerance() {
    FL_TRY(const toml::table* const tolerance, top_.table("tolerance"));
    if (tolerance == nullptr) return {};
    const TomlTable table(*tolerance, file_, "[tolerance]");
    FL_TRY_VOID(table.knows_only({"relative", "absolute", "special_inputs"}));
    FL_TRY(const auto relative, table.number("relative", 0, kLargestTolerance, "parts of the expected number"));
    FL_TRY(const auto absolute, table.number("absolute", 0, kLargestTolerance, "the output's unit"));
    FL_TRY(const auto special, table.yes("special_inputs"));
    read_.kernel.relative = relative.value_or(0);
    read_.kernel.absolute = absolute.value_or(0);
    read_.kernel.special_inputs = special.value_or(true);
    return {};
  }

  std::string file_;
  TomlTable top_;
  const Bindings& asked_;
  OwnText read_;
};

}  // namespace

Result<std::int64_t> size_formula(const std::string& text, const std::map<std::string, std::int64_t>& sizes) {
  return DimFormula{text}.evaluate(sizes);
}

Result<OwnText> read_own_toml(std::string_view text, const std::string& name, const Bindings& sizes) {
  FL_TRY(const toml::table table, read_toml(text, name));
  return OwnReader(table, name, sizes).read();
}

}  // namespace fuselab::engine

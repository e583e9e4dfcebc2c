// SPDX-License-Identifier: Apache-2.0
#include "app/engine/own/own_t1.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/engine/own/own_flags.h"
#include "core/base/plain_text.h"
#include "core/base/words.h"
#include "core/kernel/abi.h"
#include "tuner/formats/python_expression.h"
#include "tuner/formats/recorded_formats.h"

namespace fuselab::engine {
namespace {

using Json = nlohmann::json;

const Json& json_member(const Json& object, std::string_view name) {
  static const Json kAbsent;
  if (!object.is_object()) return kAbsent;
  const auto found = object.find(std::string(name));
  return found == object.end() ? kAbsent : *found;
}

std::string json_text(const Json& value) {
  if (value.is_string()) return plain_line(value.get<std::string>().substr(0, 1000));
  return value.is_number() ? value.dump() : std::string();
}

struct TypeName {
  std::string_view name;
  DType element;
};
constexpr TypeName kTypes[] = {{"bool", DType::kBool},  {"int8", DType::kI8},   {"uint8", DType::kU8},   {"int16", DType::kI16},
                               {"uint16", DType::kU16}, {"int32", DType::kI32}, {"uint32", DType::kU32}, {"int64", DType::kI64},
                               {"uint64", DType::kU64}, {"half", DType::kF16},  {"float", DType::kF32},  {"double", DType::kF64}};

class T1Reader {
 public:
  T1Reader(const Json& file, const std::string& name) : kernel_json_(json_member(file, "KernelSpecification")), name_(name) {}

  Result<OwnText> read(std::string_view text) {
    if (!kernel_json_.is_object())
      return invalid_argument(name_ + ": no KernelSpecification; a kernel's file in JSON is in the format T1");
    FL_TRY_VOID(read_space(text));
    FL_TRY_VOID(read_head());
    FL_TRY_VOID(read_arguments());
    FL_TRY_VOID(read_launch());
    FL_TRY_VOID(read_flags());
    read_reference();
    read_.may_lack_source = true;
    return std::move(read_);
  }

 private:
  Error wrong(std::string_view where, const std::string& what) const {
    return invalid_argument(name_ + ": " + std::string(where) + ": " + what);
  }

  Status read_space(std::string_view text) {
    auto recorded = tuner::parse_t1(text);
    if (!recorded.ok()) return recorded.error().within(name_);
    const ParameterSpace& space = recorded.value().space;
    for (const Parameter& each : space.parameters()) {
      OwnParameter parameter;
      parameter.name = each.name;
      for (const ParameterValue& value : each.values) {
        parameter.values.push_back(parameter_text(value));
        if (const auto* number = std::get_if<std::int64_t>(&value))
          largest_[each.name] = largest_.contains(each.name) ? std::max(largest_[each.name], *number) : *number;
      }
      parameter.otherwise = parameter_text(recorded.value().start.values().at(each.name));
      read_.kernel.parameters.push_back(std::move(parameter));
    }
    for (const Constraint& each : space.constraints()) read_.kernel.constraints.push_back({each.expression, each.reason});
    return {};
  }

  Status read_head() {
    OwnKernel& kernel = read_.kernel;
    const std::string language = json_text(json_member(kernel_json_, "Language"));
    if (language == "CUDA") kernel.language = "cuda";
    if (language == "OpenCL") kernel.language = "opencl";
    if (language == "C") kernel.language = "c";  // not in T1's schema, which knows no language of processors
    if (kernel.language.empty())
      return Error{ErrorCode::kUnsupported,
                   name_ + ": KernelSpecification.Language is '" + language + "'; this Fuselab takes CUDA, OpenCL and C"};
    kernel.function = json_text(json_member(kernel_json_, "KernelName"));
    if (kernel.function.empty()) return wrong("KernelSpecification", "no KernelName");
    const std::string benchmark = json_text(json_member(kernel_json_, "BenchmarkName"));
    kernel.name = benchmark.empty() ? kernel.function : benchmark;
    const std::string file = json_text(json_member(kernel_json_, "KernelFile"));
    if (file.empty()) return wrong("KernelSpecification", "no KernelFile");
    read_.sources = {file};
    const Json& problem = json_member(kernel_json_, "ProblemSize");
    for (const Json& each : problem.is_array() ? problem : Json::array({problem})) {
      if (!each.is_null()) problem_.push_back(json_text(each));
    }
    return {};
  }

  Result<std::string> formula(const std::string& text, const std::string& where) const {
    auto translated = tuner::translate_python_formula(text, problem_, largest_);
    if (!translated.ok()) return wrong(where, "'" + text + "': " + translated.error().message);
    return translated;
  }

  Status read_arguments() {
    const Json& arguments = json_member(kernel_json_, "Arguments");
    if (!arguments.is_array() || arguments.empty()) {
      read_.not_runnable = "KernelSpecification.Arguments lists no arguments of the kernel";
      return {};
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      FL_TRY(OwnArgument argument, read_argument(arguments[i], "KernelSpecification.Arguments[" + std::to_string(i) + "]"));
      read_.kernel.arguments.push_back(std::move(argument));
    }
    return {};
  }

  Result<OwnArgument> read_argument(const Json& json, const std::string& where) {
    OwnArgument argument;
    argument.name = json_text(json_member(json, "Name"));
    if (argument.name.empty()) argument.name = "argument" + std::to_string(read_.kernel.arguments.size() + 1);
    const std::string type = json_text(json_member(json, "Type"));
    const auto known = std::ranges::find(kTypes, type, &TypeName::name);
    if (known == std::end(kTypes))
      return Error{ErrorCode::kUnsupported, name_ + ": " + where + ".Type is '" + type + "', which no tensor of Fuselab has"};
    argument.element = known->element;
    const std::string memory = json_text(json_member(json, "MemoryType"));
    if (memory == "Scalar") return scalar(std::move(argument), json, where);
    const std::string size = json_text(json_member(json, "Size"));
    FL_TRY(const std::string elements, formula(size.empty() ? "1" : size, where + ".Size"));
    if (memory == "Local" && read_.kernel.language == "cuda")
      return Error{ErrorCode::kUnsupported,
                   name_ + ": " + where + ".MemoryType is Local; CUDA has KernelSpecification.SharedMemory for it"};
    if (memory == "Local") {
      argument.role = OwnRole::kLocal;
      argument.value = elements;
      return argument;
    }
    if (memory != "Vector")
      return Error{ErrorCode::kUnsupported,
                   name_ + ": " + where + ".MemoryType is '" + memory + "'; Vector, Scalar and Local are taken"};
    return vector(std::move(argument), json, elements, where);
  }

  Result<OwnArgument> scalar(OwnArgument argument, const Json& json, const std::string& where) const {
    argument.role = OwnRole::kScalar;
    argument.value = json_text(json_member(json, "FillValue"));
    EntryParameter passed;
    passed.element = argument.element;
    passed.number = argument.value;
    if (!number_bytes(passed).ok()) return wrong(where + ".FillValue", "'" + argument.value + "' is no number of its type");
    return argument;
  }

  Result<OwnArgument> vector(OwnArgument argument, const Json& json, const std::string& elements, const std::string& where) {
    const std::string access = json_text(json_member(json, "AccessType"));
    argument.role = access == "ReadWrite"                                       ? OwnRole::kInOut
                    : access == "WriteOnly" || json_member(json, "Output") == 1 ? OwnRole::kOut
                                                                                : OwnRole::kIn;
    const auto count = DimFormula{elements}.evaluate(single_values());
    if (!count.ok())
      return wrong(where + ".Size",
                   "'" + elements + "': " + count.error().message + " (a tensor has the same size in every configuration)");
    if (count.value() < 1) return wrong(where + ".Size", "is " + std::to_string(count.value()));
    argument.shape = {Dim(count.value())};
    const std::string fill = json_text(json_member(json, "FillType"));
    if (argument.is_read() && fill == "Constant") {
      const Json& value = json_member(json, "FillValue");
      if (!value.is_number()) return wrong(where + ".FillValue", "must be a number");
      argument.fill = json_text(value);
    }
    if (fill == "BinaryRaw" || fill == "BinaryHDF" || fill == "Script" || fill == "Generator")
      read_.notes.push_back("'" + argument.name + "' is filled from the seed instead of by " + fill);
    return argument;
  }

  // Parameters that have one value are as good as numbers.
  std::map<std::string, std::int64_t> single_values() const {
    std::map<std::string, std::int64_t> values;
    for (const OwnParameter& each : read_.kernel.parameters) {
      if (each.values.size() == 1 && largest_.contains(each.name)) values[each.name] = largest_.at(each.name);
    }
    return values;
  }

  Status read_launch() {
    static constexpr const char* kAxes[] = {"X", "Y", "Z"};
    OwnKernel& kernel = read_.kernel;
    if (kernel.language == "c") {
      const std::string tasks = json_text(json_member(json_member(kernel_json_, "GlobalSize"), "X"));
      if (tasks.empty()) return {};
      FL_TRY(kernel.tasks, formula(tasks, "KernelSpecification.GlobalSize.X"));
      return {};
    }
    const std::string shared = json_text(json_member(kernel_json_, "SharedMemory"));
    if (!shared.empty()) {
      FL_TRY(kernel.shared_bytes, formula(shared, "KernelSpecification.SharedMemory"));
    }
    const std::string counts = json_text(json_member(kernel_json_, "GlobalSizeType"));
    const bool counts_items = counts.empty() ? kernel.language == "opencl" : counts == "OpenCL";
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::string local = json_text(json_member(json_member(kernel_json_, "LocalSize"), kAxes[axis]));
      if (!local.empty()) {
        FL_TRY(kernel.block[axis], formula(local, std::string("KernelSpecification.LocalSize.") + kAxes[axis]));
      }
      const Json& divisors = json_member(kernel_json_, std::string("GridDiv") + kAxes[axis]);
      if (axis < problem_.size() && divisors.is_array()) {
        FL_TRY(kernel.grid[axis], divided(problem_[axis], divisors, std::string("KernelSpecification.GridDiv") + kAxes[axis]));
        continue;
      }
      const std::string global = json_text(json_member(json_member(kernel_json_, "GlobalSize"), kAxes[axis]));
      const bool only_problem = global.empty() || (axis < problem_.size() && axis > 0 && global == "1");
      if (only_problem) {
        if (axis < problem_.size()) kernel.grid[axis] = "ceil_div(" + problem_[axis] + ", " + kernel.block[axis] + ")";
        continue;
      }
      FL_TRY(const std::string size, formula(global, std::string("KernelSpecification.GlobalSize.") + kAxes[axis]));
      kernel.grid[axis] = counts_items ? "ceil_div(" + size + ", " + kernel.block[axis] + ")" : size;
    }
    return {};
  }

  Result<std::string> divided(const std::string& size, const Json& divisors, const std::string& where) const {
    std::string product = "1";
    for (const Json& each : divisors) {
      FL_TRY(const std::string factor, formula(json_text(each), where));
      product = product == "1" ? "(" + factor + ")" : product + " * (" + factor + ")";
    }
    return "ceil_div(" + size + ", " + product + ")";
  }

  Status read_flags() {
    const Json& options = json_member(kernel_json_, "CompilerOptions");
    for (const Json& each : options.is_array() ? options : Json::array()) {
      const std::string flag = json_text(each);
      if (const Status taken = check_own_flags(flag); !taken.ok())
        return wrong("KernelSpecification.CompilerOptions", taken.error().message);
      // The compilers here choose the standard themselves.
      if (flag.find("std=") == std::string::npos) read_.kernel.flags.push_back(flag);
    }
    return {};
  }

  void read_reference() {
    const Json& references = json_member(kernel_json_, "ReferenceArguments");
    for (const Json& each : references.is_array() ? references : Json::array()) {
      const std::filesystem::path source(json_text(json_member(each, "DataSource")));
      if (source.extension() != ".graph") continue;
      read_.reference_file = source.string();
      const Json& threshold = json_member(each, "ValidationThreshold");
      if (!threshold.is_number() || threshold.get<double>() <= 0) continue;
      const bool is_relative = json_text(json_member(each, "ValidationMethod")) == "SideBySideRelativeComparison";
      (is_relative ? read_.kernel.relative : read_.kernel.absolute) = threshold.get<double>();
    }
  }

  const Json& kernel_json_;
  std::string name_;
  OwnText read_;
  std::vector<std::string> problem_;
  std::map<std::string, std::int64_t> largest_;
};

}  // namespace

Result<OwnText> read_own_t1(std::string_view json, const std::string& name, const Bindings& sizes) {
  const auto file = Json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  if (file.is_discarded() || !file.is_object()) return invalid_argument(name + ": no JSON object, so no kernel in the format T1");
  if (!sizes.empty()) return invalid_argument("--shape: " + name + " is in the format T1, which names no sizes");
  return T1Reader(file, name).read(json);
}

}  // namespace fuselab::engine

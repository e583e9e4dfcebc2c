// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/bundle/header_file.h"

#include <cstdio>
#include <fstream>
#include <set>

#include "core/base/ascii.h"
#include "core/kernel/launch_config.h"
#include "core/platform/files/atomic_file.h"

namespace fuselab::deploy {
namespace {

constexpr std::string_view kFirstLine = "/* Launch configurations that Fuselab tuned";

// Bytes that are no printable ASCII become octal escapes, which end after three digits.
std::string c_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '?') {
      quoted += '\\';
      quoted += c;
    } else if (c >= ' ' && c <= '~') {
      quoted += c;
    } else {
      char octal[8];
      std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned>(static_cast<unsigned char>(c)));
      quoted += octal;
    }
  }
  return quoted + "\"";
}

std::string word_of(std::string_view text) {
  std::string word;
  for (const char c : text) {
    if (is_letter(c) || is_digit(c)) {
      word += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    } else if (!word.empty() && word.back() != '_') {
      word += '_';
    }
  }
  while (!word.empty() && word.back() == '_') word.pop_back();
  return word;
}

std::string number_text(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", number);
  return text;
}

class HeaderWriter {
 public:
  HeaderWriter(const BundleManifest& manifest, const std::string& name) : manifest_(manifest), name_(word_of(name)) {}

  std::string write() {
    text_ = std::string(kFirstLine) + ". Made by " + comment(manifest_.made_by) + " for " + comment(manifest_.environment.target) +
            " (" + comment(manifest_.environment.processor) + "), caches " + comment(manifest_.environment.cache_mode) + ". */\n";
    text_ +=
        "#ifndef FUSELAB_" + name_ + "_H\n#define FUSELAB_" + name_ + "_H\n\n" +
        "#ifndef FUSELAB_TUNED_KERNEL\n#define FUSELAB_TUNED_KERNEL\n"
        "/* One kernel of a piece of a model. Times are of the whole piece; 0: it was never measured, and has its default\n"
        " * configuration. \"configured\": tuned, unconfirmed or default. */\n"
        "typedef struct fuselab_tuned_kernel {\n"
        "  const char *model, *binding, *piece, *graph, *plan, *configured, *target, *generator, *generator_version, *config;\n"
        "  double median_ns, low_ns, high_ns;\n"
        "} fuselab_tuned_kernel;\n"
        "#endif\n\n";
    std::string table;
    for (const BundleModel& model : manifest_.models) {
      std::set<int> seen;
      for (const BundleStep& step : model.steps) {
        if (seen.insert(step.piece).second) add_piece(model, manifest_.pieces.at(static_cast<std::size_t>(step.piece)), table);
      }
    }
    text_ += "\n/* The last row is empty. */\nstatic const fuselab_tuned_kernel fuselab_" + lower(name_) + "_kernels[] = {\n" +
             table + "    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},\n};\n\n#endif\n";
    return std::move(text_);
  }

 private:
  static std::string lower(std::string word) {
    for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return word;
  }

  static std::string comment(const std::string& words) {
    std::string plain;
    for (const char c : words) plain += c == '*' || c < ' ' ? ' ' : c;
    return plain;
  }

  void add_piece(const BundleModel& model, const BundlePiece& piece, std::string& table) {
    const std::string prefix = unique("FUSELAB_" + word_of(model.name + " " + model.binding + " " + piece.name));
    for (std::size_t i = 0; i < piece.kernels.size(); ++i) {
      const BundleKernel& kernel = manifest_.kernels.at(static_cast<std::size_t>(piece.kernels[i]));
      const auto config = LaunchConfig::parse(kernel.config);
      const std::string of_kernel = piece.kernels.size() == 1 ? prefix : prefix + "_" + std::to_string(i);
      if (config.ok()) {
        for (const auto& [name, value] : config.value().values()) add_macro(of_kernel, name, value);
      }
      table += "    {";
      for (const std::string* const each : {&model.name, &model.binding, &piece.name, &piece.graph, &piece.plan, &piece.configured,
                                            &kernel.target, &kernel.generator, &kernel.generator_version, &kernel.config})
        table += c_string(*each) + ", ";
      const BundleFigure figure = piece.figure.value_or(BundleFigure{});
      table += number_text(figure.median_ns) + ", " + number_text(figure.low_ns) + ", " + number_text(figure.high_ns) + "},\n";
    }
  }

  void add_macro(const std::string& of_kernel, const std::string& name, const ParameterValue& value) {
    const auto* const text = std::get_if<std::string>(&value);
    text_ += "#define " + unique(of_kernel + "_" + word_of(name)) + " " + (text ? c_string(*text) : parameter_text(value)) + "\n";
  }

  // Two pieces may differ in what no macro can spell.
  std::string unique(const std::string& wish) {
    std::string word = wish;
    for (int number = 2; !taken_.insert(word).second; ++number) word = wish + "_" + std::to_string(number);
    return word;
  }

  const BundleManifest& manifest_;
  std::string name_;
  std::set<std::string> taken_;
  std::string text_;
};

}  // namespace

std::string header_text(const BundleManifest& manifest, const std::string& name) {
  return HeaderWriter(manifest, name).write();
}

Status write_header(const std::filesystem::path& file, const BundleManifest& manifest) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) {
    std::ifstream there(file, std::ios::binary);
    std::string head(kFirstLine.size(), '\0');
    if (!there.read(head.data(), static_cast<std::streamsize>(head.size())) || head != kFirstLine)
      return invalid_argument(file.string() + " is there and is no header of Fuselab's; it is left alone");
  }
  const std::string text = header_text(manifest, file.stem().string());
  return platform::write_file_atomically(file, std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace fuselab::deploy

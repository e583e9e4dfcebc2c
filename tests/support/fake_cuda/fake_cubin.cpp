// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_cuda/fake_cubin.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

namespace fuselab::fake_cuda {
namespace {

constexpr std::uint32_t kProgramBits = 1, kSymbols = 2, kStrings = 3, kNote = 7, kNoBits = 8, kInfo = 0x70000000;
constexpr const char* kSourceSection = ".fuselab.source";

class Image {
 public:
  template <typename T>
  void put(T value) {
    const auto* const raw = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), raw, raw + sizeof value);
  }
  void put_text(std::string_view text) {
    const auto* const raw = reinterpret_cast<const std::byte*>(text.data());
    bytes_.insert(bytes_.end(), raw, raw + text.size());
  }
  std::size_t size() const { return bytes_.size(); }
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// Names one after the other, each ended by a zero.
struct Names {
  std::string text = std::string(1, '\0');
  std::uint32_t add(const std::string& name) {
    const auto at = static_cast<std::uint32_t>(text.size());
    text += name;
    text.push_back('\0');
    return at;
  }
};

struct Section {
  std::string name;
  std::uint32_t type;
  std::string data;
  std::uint64_t size;  // of kNoBits, which has no data
};

std::string bytes_of(Image& image) {
  return {reinterpret_cast<const char*>(image.bytes().data()), image.size()};
}

void put_record(Image& image, std::uint8_t attribute, const std::vector<std::uint32_t>& words) {
  image.put(std::uint8_t{4});
  image.put(attribute);
  image.put(static_cast<std::uint16_t>(4 * words.size()));
  for (const std::uint32_t word : words) image.put(word);
}

std::string kernel_info(const FakeKernel& kernel) {
  Image image;
  image.put(std::uint32_t{0x00ff1b03});  // EIATTR_MAXREG_COUNT: a record whose value stands in its header
  for (int i = 0; i < kernel.parameters; ++i) put_record(image, 0x17, {0, static_cast<std::uint32_t>(i), 0x21f000});
  put_record(image, 0x05, {kernel.max_threads, 1, 1});
  return bytes_of(image);
}

std::vector<Section> sections_of(const std::vector<FakeKernel>& kernels, const std::string& source, bool reserved_shared,
                                 const std::string& note) {
  Names names;
  Image symbols, info;
  for (std::size_t i = 0; i < 24; ++i) symbols.put(std::uint8_t{0});
  std::vector<Section> sections;
  std::uint32_t index = 1;
  for (const FakeKernel& kernel : kernels) {
    symbols.put(names.add(kernel.name));
    for (std::size_t i = 0; i < 20; ++i) symbols.put(std::uint8_t{0});
    put_record(info, 0x2f, {index, kernel.registers});
    put_record(info, 0x11, {index, kernel.stack_bytes});
    ++index;
    sections.push_back({".text." + kernel.name, kProgramBits, std::string(128, '\0'), 0});
    sections.push_back({".nv.info." + kernel.name, kInfo, kernel_info(kernel), 0});
    if (kernel.shared_bytes > 0) {
      sections.push_back({".nv.shared." + kernel.name, kNoBits, "", kernel.shared_bytes + (reserved_shared ? 1024 : 0)});
    }
  }
  if (reserved_shared) sections.push_back({".nv.shared.reserved.0", kNoBits, "", 0});
  sections.push_back({".strtab", kStrings, names.text, 0});
  sections.push_back({".symtab", kSymbols, bytes_of(symbols), 0});
  sections.push_back({".nv.info", kInfo, bytes_of(info), 0});
  sections.push_back({kSourceSection, kProgramBits, source, 0});
  if (!note.empty()) sections.push_back({".note", kNote, note, 0});
  return sections;
}

void put_header(Image& image, std::uint64_t table, std::uint16_t count) {
  image.put_text(
      std::string_view("\x7f"
                       "ELF\x02\x01\x01\x41\x08\0\0\0\0\0\0\0",
                       16));
  image.put(std::uint16_t{2});
  image.put(std::uint16_t{190});
  image.put(std::uint32_t{1});
  image.put(std::uint64_t{0});
  image.put(std::uint64_t{0});
  image.put(table);
  image.put(std::uint32_t{0x6005a04});
  image.put(std::uint16_t{64});
  image.put(std::uint16_t{0});
  image.put(std::uint16_t{0});
  image.put(std::uint16_t{64});
  image.put(count);
  image.put(static_cast<std::uint16_t>(count - 1));
}

void put_section(Image& image, std::uint32_t name, std::uint32_t type, std::uint64_t at, std::uint64_t size) {
  image.put(name);
  image.put(type);
  image.put(std::uint64_t{0});
  image.put(std::uint64_t{0});
  image.put(at);
  image.put(size);
  for (int i = 0; i < 3; ++i) image.put(std::uint64_t{0});
}

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// What stands between the parenthesis at `open` and the one that closes it.
std::string_view parameters_at(std::string_view text, std::size_t open) {
  int depth = 0;
  std::size_t close = open;
  for (; close < text.size(); ++close) {
    depth += text[close] == '(' ? 1 : text[close] == ')' ? -1 : 0;
    if (depth == 0) break;
  }
  return text.substr(open + 1, close - open - 1);
}

int count_parameters(std::string_view inside) {
  const bool any = std::any_of(inside.begin(), inside.end(), is_name);
  return any ? static_cast<int>(std::count(inside.begin(), inside.end(), ',')) + 1 : 0;
}

int count_of(std::string_view text, std::string_view word) {
  int count = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

}  // namespace

std::vector<std::byte> fake_cubin(const std::vector<FakeKernel>& kernels, const std::string& source, bool reserved_shared,
                                  const std::string& note) {
  const std::vector<Section> sections = sections_of(kernels, source, reserved_shared, note);
  Names names;
  Image table, data;
  put_section(table, 0, 0, 0, 0);
  for (const Section& section : sections) {
    const std::uint64_t size = section.type == kNoBits ? section.size : section.data.size();
    put_section(table, names.add(section.name), section.type, 64 + data.size(), size);
    data.put_text(section.data);
  }
  const std::uint32_t own = names.add(".shstrtab");
  put_section(table, own, kStrings, 64 + data.size(), names.text.size());
  data.put_text(names.text);
  Image image;
  put_header(image, 64 + data.size(), static_cast<std::uint16_t>(sections.size() + 2));
  for (Image* part : {&data, &table}) image.bytes().insert(image.bytes().end(), part->bytes().begin(), part->bytes().end());
  return std::move(image.bytes());
}

std::string source_in(const void* image) {
  const auto* const base = static_cast<const char*>(image);
  const auto read = [&](std::size_t at, auto value) {
    std::memcpy(&value, base + at, sizeof value);
    return value;
  };
  const std::uint64_t table = read(40, std::uint64_t{0});
  const std::uint16_t count = read(60, std::uint16_t{0});
  const std::uint64_t names = read(table + 64 * std::size_t{read(62, std::uint16_t{0})} + 24, std::uint64_t{0});
  for (std::size_t i = 1; i < count; ++i) {
    const std::size_t header = table + 64 * i;
    if (std::string_view(base + names + read(header, std::uint32_t{0})) != kSourceSection) continue;
    return {base + read(header + 24, std::uint64_t{0}), read(header + 32, std::uint64_t{0})};
  }
  return {};
}

std::vector<FakeKernel> kernels_in(std::string_view source) {
  std::vector<FakeKernel> kernels;
  constexpr std::string_view kMark = "extern \"C\"";
  for (std::size_t at = source.find(kMark); at != std::string_view::npos; at = source.find(kMark, at + 1)) {
    const std::size_t result = source.find("void ", at);
    const std::size_t body = source.find_first_of("{;", at);
    if (result == std::string_view::npos || result > body) continue;
    const std::size_t begin = result + 5;
    std::size_t end = begin;
    while (end < source.size() && is_name(source[end])) ++end;
    FakeKernel kernel;
    kernel.name = std::string(source.substr(begin, end - begin));
    const std::string_view parameters = parameters_at(source, end);
    kernel.parameters = count_parameters(parameters);
    kernel.maps = count_of(parameters, "FL_TENSOR_MAP(") + count_of(parameters, "__grid_constant__");
    constexpr std::string_view kBounds = "FL_KERNEL(";
    if (const std::size_t bounds = source.find(kBounds, at); bounds < result) {
      kernel.max_threads = static_cast<std::uint32_t>(std::atoi(source.data() + bounds + kBounds.size()));
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace fuselab::fake_cuda

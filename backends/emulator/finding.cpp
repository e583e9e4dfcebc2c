// SPDX-License-Identifier: Apache-2.0
#include "backends/emulator/finding.h"

#include <cstdlib>

namespace fuselab::simt {
namespace {

constexpr char kOpen = '\x01';
constexpr char kClose = '\x02';

}  // namespace

std::string place_mark(CodePlace place) {
  return kOpen + std::to_string(place) + kClose;
}

std::string replace_place_marks(const std::string& text, const std::function<std::string(CodePlace)>& name) {
  std::string result;
  std::size_t at = 0;
  for (std::size_t open = text.find(kOpen); open != std::string::npos; open = text.find(kOpen, at)) {
    const std::size_t close = text.find(kClose, open);
    if (close == std::string::npos) break;
    result += text.substr(at, open - at) + name(std::strtoull(text.c_str() + open + 1, nullptr, 10));
    at = close + 1;
  }
  return result + text.substr(at);
}

}  // namespace fuselab::simt

// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/attention/attention_panels.h"

#include "backends/codegen/ir/ceil_div.h"

namespace fuselab::codegen {
namespace {

class Panels {
 public:
  explicit Panels(const KeyPanels& panels) : p_(panels), a_(panels.attention) {}

  void write(Body& body) const {
    const bool turns = a_.key.element == 1 && p_.key.storage == a_.compute && p_.lanes > 1;
    const std::int64_t squares = turns ? a_.keys / p_.lanes * p_.lanes : 0;
    const std::int64_t deep = turns ? a_.depth / p_.lanes * p_.lanes : 0;
    if (squares > 0 && deep > 0) {
      Body& keys = loop(body, "key", 0, squares, p_.lanes);
      Body& depths = loop(keys, "k", 0, deep, p_.lanes);
      BodyBuilder(depths).transpose({{a_.compute, p_.lanes}, p_.panels, place(), p_.width, p_.key.name, from(), a_.key.vector});
    }
    if (squares > 0 && deep < a_.depth) copy(loop(body, "key", 0, squares, 1), deep);
    if (squares < a_.keys) copy(loop(body, "key", squares, a_.keys, 1), 0);
    const std::int64_t all = ceil_div(a_.keys, p_.width) * p_.width;
    if (a_.keys == all) return;
    Body& behind = loop(loop(body, "key", a_.keys, all, 1), "k", 0, a_.depth, 1);
    BodyBuilder(behind).store({p_.panels, place(), real(0, {a_.compute, 1}), a_.compute, false});
  }

 private:
  static Body& loop(Body& body, const char* name, std::int64_t begin, std::int64_t end, std::int64_t step) {
    return BodyBuilder(body).loop(step == 1 ? LoopKind::kSerial : LoopKind::kVector, name, integer(begin), integer(end),
                                  integer(step));
  }
  ExprPtr key() const { return variable("key", kIndex); }
  ExprPtr k() const { return variable("k", kIndex); }
  ExprPtr from() const { return p_.key_at + key() * integer(a_.key.vector) + k() * integer(a_.key.element); }
  ExprPtr place() const {
    return key() / integer(p_.width) * integer(p_.width * a_.depth) + k() * integer(p_.width) + key() % integer(p_.width);
  }
  void copy(Body& keys, std::int64_t first) const {
    Body& depths = loop(keys, "k", first, a_.depth, 1);
    BodyBuilder(depths).store({p_.panels, place(), load(p_.key.name, from(), {a_.compute, 1}, p_.key.storage), a_.compute, false});
  }

  const KeyPanels& p_;
  const Attention& a_;
};

}  // namespace

void lay_out_panels(Body& body, const KeyPanels& panels) {
  Panels(panels).write(body);
}

std::int64_t score_stride(std::int64_t keys, std::int64_t width) {
  constexpr std::int64_t kLine = 16;
  return ceil_div(keys, width) * width + kLine;
}

}  // namespace fuselab::codegen

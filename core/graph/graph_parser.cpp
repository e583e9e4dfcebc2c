// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "core/graph/graph_lexer.h"
#include "core/graph/graph_text.h"
#include "core/ops/infer.h"

namespace fuselab {
namespace {

constexpr std::size_t kMaxText = std::size_t{16} << 20;
// Bounds on what hostile text can make us allocate per character; far above real models.
constexpr std::size_t kMaxValues = std::size_t{1} << 20;

bool is_reserved(std::string_view name) {
  return name == "graph" || name == "return" || name == "param";
}

// One left-hand side of a statement: a name, for an opaque node with its type.
struct Target {
  std::string_view name;
  std::size_t offset;
  std::optional<TensorType> type;
};

// Holds what stands between the parentheses of an operator.
struct Arguments {
  std::vector<ValueId> operands;
  Attributes attributes;
};

// A recursive-descent parser whose grammar does not recurse: its stack depth is fixed.
class GraphParser {
 public:
  explicit GraphParser(std::string_view text) : lexer_(text) {}

  Result<Graph> parse();

 private:
  Status advance();
  Error expected(std::string_view what) const;
  Status expect(char symbol, std::string_view where);
  Status expect_word(std::string_view word);
  Result<std::string_view> take_name(std::string_view what);
  Status declare(std::string_view name, std::size_t offset, ValueId id);

  Status parse_inputs();
  Result<TensorType> parse_type();
  Result<Dim> dim_of(std::string_view text, std::size_t offset) const;
  Status parse_statement();
  Result<std::vector<Target>> parse_targets();
  Result<Arguments> parse_arguments();
  Status parse_argument(Arguments& arguments);
  Result<AttributeValue> parse_value();
  Result<AttributeValue> parse_list();
  Result<NodeId> add(Op op, std::string opaque_type, Arguments arguments, const std::vector<Target>& targets);
  Result<FusionAnnotation> parse_annotation();
  Status parse_fusible_setting(FusionAnnotation& annotation);
  Status parse_return();
  Result<ValueId> find(std::string_view name, std::size_t offset) const;

  GraphLexer lexer_;
  Token token_;
  Graph graph_;
  std::unordered_map<std::string_view, ValueId> names_;
};

Status GraphParser::advance() {
  FL_TRY(token_, lexer_.next());
  return Status();
}

Error GraphParser::expected(std::string_view what) const {
  return lexer_.error_at(token_.offset, "expected " + std::string(what) + ", got " + shown(token_));
}

Status GraphParser::expect(char symbol, std::string_view where) {
  if (!token_.is(symbol)) return expected("'" + std::string(1, symbol) + "' " + std::string(where));
  return advance();
}

Status GraphParser::expect_word(std::string_view word) {
  if (token_.kind != TokenKind::kName || token_.text != word) return expected("'" + std::string(word) + "'");
  return advance();
}

Result<std::string_view> GraphParser::take_name(std::string_view what) {
  if (token_.kind != TokenKind::kName || is_reserved(token_.text)) return expected(what);
  const std::string_view name = token_.text;
  FL_TRY_VOID(advance());
  return name;
}

Status GraphParser::declare(std::string_view name, std::size_t offset, ValueId id) {
  if (!names_.emplace(name, id).second) return lexer_.error_at(offset, "'" + std::string(name) + "' is already defined");
  if (names_.size() > kMaxValues) return lexer_.error_at(offset, "more than 2^20 values");
  return Status();
}

Result<ValueId> GraphParser::find(std::string_view name, std::size_t offset) const {
  const auto found = names_.find(name);
  if (found == names_.end()) return lexer_.error_at(offset, "'" + std::string(name) + "' is not defined before this use");
  return found->second;
}

Result<Graph> GraphParser::parse() {
  FL_TRY_VOID(advance());
  FL_TRY_VOID(expect_word("graph"));
  FL_TRY_VOID(expect('(', "after 'graph'"));
  FL_TRY_VOID(parse_inputs());
  FL_TRY_VOID(expect('{', "before the statements"));
  while (token_.kind != TokenKind::kName || token_.text != "return") {
    FL_TRY_VOID(parse_statement());
  }
  FL_TRY_VOID(parse_return());
  if (token_.kind != TokenKind::kEnd) return expected("nothing after the closing '}'");
  return std::move(graph_);
}

Status GraphParser::parse_inputs() {
  if (token_.is(')')) return advance();
  while (true) {
    const std::size_t offset = token_.offset;
    FL_TRY(const std::string_view name, take_name("the name of an input"));
    FL_TRY_VOID(expect(':', "and a type after the input's name"));
    const bool param = token_.kind == TokenKind::kName && token_.text == "param";
    if (param) FL_TRY_VOID(advance());
    FL_TRY(TensorType type, parse_type());
    const ValueId id = graph_.add_input(std::string(name), std::move(type), param ? ValueOrigin::kParam : ValueOrigin::kInput);
    FL_TRY_VOID(declare(name, offset, id));
    if (!token_.is(',')) return expect(')', "or ',' after an input");
    FL_TRY_VOID(advance());
  }
}

Result<TensorType> GraphParser::parse_type() {
  const auto dtype = token_.kind == TokenKind::kName ? parse_dtype(token_.text) : std::nullopt;
  if (!dtype) return expected("an element type such as f32, f16, bf16, i64, bool");
  TensorType type{*dtype, {}};
  FL_TRY_VOID(advance());
  if (!token_.is('[')) return expected("'[' after the element type");
  std::size_t offset = token_.offset + 1;
  FL_TRY(const std::string text, lexer_.until(']'));
  std::string_view extents = text;
  const bool is_scalar = extents.find_first_not_of(" \t\r\n") == std::string_view::npos;
  for (bool more = !is_scalar; more;) {
    if (type.shape.size() == kMaxRank) return lexer_.error_at(offset, "more than 8 dimensions");
    const std::size_t comma = extents.find(',');
    FL_TRY(Dim dim, dim_of(extents.substr(0, comma), offset));
    type.shape.push_back(std::move(dim));
    more = comma != std::string_view::npos;
    offset += more ? comma + 1 : 0;
    extents.remove_prefix(more ? comma + 1 : 0);
  }
  FL_TRY_VOID(advance());
  return type;
}

Result<Dim> GraphParser::dim_of(std::string_view text, std::size_t offset) const {
  const std::size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  auto dim = parse_extent(text.substr(first));
  if (dim.ok()) return dim;
  const Token read{TokenKind::kSymbol, text.substr(first), offset + first, 0, 0, {}};
  return lexer_.error_at(read.offset, "expected an extent (0 to 2^62, a symbol's name, or a formula of these), got " + shown(read));
}

Status GraphParser::parse_statement() {
  FL_TRY(const std::vector<Target> targets, parse_targets());
  FL_TRY_VOID(expect('=', "after the names a statement defines"));
  const std::size_t offset = token_.offset;
  FL_TRY(const std::string_view name, take_name("an operator"));
  const auto op = parse_op(name);
  if (!op)
    return lexer_.error_at(offset,
                           "unknown operator '" + std::string(name) + "'; write Opaque:" + std::string(name) + " for a barrier");
  std::string opaque_type;
  if (*op == Op::kOpaque) {
    FL_TRY_VOID(expect(':', "and the operator's own name after 'Opaque'"));
    FL_TRY(const std::string_view type, take_name("the opaque operator's name"));
    opaque_type = type;
  }
  FL_TRY(Arguments arguments, parse_arguments());
  const auto added = add(*op, std::move(opaque_type), std::move(arguments), targets);
  if (!added.ok()) return lexer_.error_at(offset, added.error().message);
  if (token_.is('@')) {
    FL_TRY(graph_.node(added.value()).annotation, parse_annotation());
  }
  const Node& node = graph_.node(added.value());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    FL_TRY_VOID(declare(targets[i].name, targets[i].offset, node.outputs[i]));
    const auto& declared = targets[i].type;
    if (declared && *declared != graph_.type(node.outputs[i])) {
      return lexer_.error_at(targets[i].offset, "'" + std::string(targets[i].name) + "' is declared " + type_text(*declared) +
                                                    ", but is " + type_text(graph_.type(node.outputs[i])));
    }
  }
  return expect(';', "after a statement");
}

Result<std::vector<Target>> GraphParser::parse_targets() {
  std::vector<Target> targets;
  while (true) {
    Target target{{}, token_.offset, std::nullopt};
    FL_TRY(target.name, take_name("a statement or 'return'"));
    if (token_.is(':')) {
      FL_TRY_VOID(advance());
      FL_TRY(target.type, parse_type());
    }
    targets.push_back(std::move(target));
    if (!token_.is(',')) return targets;
    FL_TRY_VOID(advance());
  }
}

Result<NodeId> GraphParser::add(Op op, std::string opaque_type, Arguments arguments, const std::vector<Target>& targets) {
  std::vector<std::string> names;
  for (const Target& target : targets) names.emplace_back(target.name);
  if (op != Op::kOpaque) {
    const std::int64_t pieces = arguments.attributes.integer("num_outputs", static_cast<std::int64_t>(names.size()));
    if (pieces != static_cast<std::int64_t>(names.size())) {
      return invalid_argument(std::to_string(names.size()) + " names for " + std::to_string(pieces) + " outputs");
    }
    return graph_.add_node(op, std::move(arguments.operands), std::move(arguments.attributes), std::move(names));
  }
  std::vector<TensorType> types;
  for (const Target& target : targets) {
    if (!target.type)
      return invalid_argument("the outputs of an opaque node need types: " + std::string(target.name) + ": f32[…] = …");
    types.push_back(*target.type);
  }
  const NodeId id = graph_.add_opaque(std::move(opaque_type), std::move(arguments.operands), std::move(types), std::move(names));
  graph_.node(id).attributes = std::move(arguments.attributes);
  return id;
}

Result<Arguments> GraphParser::parse_arguments() {
  Arguments arguments;
  FL_TRY_VOID(expect('(', "after the operator"));
  if (token_.is(')')) {
    FL_TRY_VOID(advance());
    return arguments;
  }
  while (true) {
    FL_TRY_VOID(parse_argument(arguments));
    if (!token_.is(',')) break;
    FL_TRY_VOID(advance());
  }
  FL_TRY_VOID(expect(')', "or ',' after an operand"));
  return arguments;
}

Status GraphParser::parse_argument(Arguments& arguments) {
  const std::size_t offset = token_.offset;
  FL_TRY(const std::string_view name, take_name("an operand or an attribute"));
  if (!token_.is('=')) {
    if (!arguments.attributes.values().empty()) return lexer_.error_at(offset, "operands come before attributes");
    if (arguments.operands.size() == kMostOperands)
      return lexer_.error_at(offset, "more than " + std::to_string(kMostOperands) + " operands");
    FL_TRY(const ValueId id, find(name, offset));
    arguments.operands.push_back(id);
    return Status();
  }
  FL_TRY_VOID(advance());
  if (arguments.attributes.has(name)) return lexer_.error_at(offset, "attribute '" + std::string(name) + "' is given twice");
  FL_TRY(AttributeValue value, parse_value());
  arguments.attributes.set(std::string(name), std::move(value));
  return Status();
}

Result<AttributeValue> GraphParser::parse_value() {
  if (token_.is('[')) return parse_list();
  AttributeValue value;
  switch (token_.kind) {
    case TokenKind::kInteger: value = token_.integer; break;
    case TokenKind::kReal: value = token_.real; break;
    case TokenKind::kString: value = std::move(token_.string); break;
    case TokenKind::kName:
      if (token_.text == "inf") {
        value = std::numeric_limits<double>::infinity();
        break;
      }
      if (token_.text == "nan") {
        value = std::numeric_limits<double>::quiet_NaN();
        break;
      }
      [[fallthrough]];
    default: return expected("a number, a string or a list");
  }
  FL_TRY_VOID(advance());
  return value;
}

// [1,2] is a list of integers; one real in it makes it a list of reals.
Result<AttributeValue> GraphParser::parse_list() {
  FL_TRY_VOID(advance());
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  bool real = false;
  while (!token_.is(']')) {
    if (!reals.empty()) FL_TRY_VOID(expect(',', "or ']' in a list"));
    const std::size_t offset = token_.offset;
    if (token_.is('[')) return expected("a number; lists do not nest");
    FL_TRY(const AttributeValue value, parse_value());
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      integers.push_back(*whole);
      reals.push_back(static_cast<double>(*whole));
    } else if (const auto* number = std::get_if<double>(&value)) {
      real = true;
      reals.push_back(*number);
    } else {
      return lexer_.error_at(offset, "a list holds numbers only");
    }
  }
  FL_TRY_VOID(advance());
  if (real) return AttributeValue(std::move(reals));
  return AttributeValue(std::move(integers));
}

// @NoFusion("why") or @Fusible(max_operations=4, priority=1); of the latter all may be left out.
Result<FusionAnnotation> GraphParser::parse_annotation() {
  FL_TRY_VOID(advance());
  FusionAnnotation annotation;
  const bool never = token_.kind == TokenKind::kName && token_.text == "NoFusion";
  if (!never && (token_.kind != TokenKind::kName || token_.text != "Fusible")) return expected("NoFusion or Fusible after '@'");
  annotation.kind = never ? FusionAnnotation::Kind::kNoFusion : FusionAnnotation::Kind::kFusible;
  FL_TRY_VOID(advance());
  FL_TRY_VOID(expect('(', "after the annotation's name"));
  if (never) {
    if (token_.kind != TokenKind::kString || token_.string.empty()) return expected("the reason, \"in quotes\"");
    annotation.reason = token_.string;
    FL_TRY_VOID(advance());
  }
  while (!never && !token_.is(')')) {
    FL_TRY_VOID(parse_fusible_setting(annotation));
    if (!token_.is(',')) break;
    FL_TRY_VOID(advance());
  }
  FL_TRY_VOID(expect(')', "after the annotation"));
  return annotation;
}

Status GraphParser::parse_fusible_setting(FusionAnnotation& annotation) {
  constexpr std::int64_t kMost = 1'000'000;
  const bool limit = token_.kind == TokenKind::kName && token_.text == "max_operations";
  if (!limit && (token_.kind != TokenKind::kName || token_.text != "priority")) return expected("max_operations=… or priority=…");
  FL_TRY_VOID(advance());
  FL_TRY_VOID(expect('=', "after the setting's name"));
  if (token_.kind != TokenKind::kInteger || token_.integer > kMost || token_.integer < (limit ? 1 : -kMost))
    return expected(limit ? "a number of operators, 1 or more" : "a whole number up to a million");
  (limit ? annotation.max_operations : annotation.priority) = static_cast<int>(token_.integer);
  return advance();
}

Status GraphParser::parse_return() {
  FL_TRY_VOID(advance());
  while (true) {
    const std::size_t offset = token_.offset;
    FL_TRY(const std::string_view name, take_name("the name of a value to return"));
    FL_TRY(const ValueId id, find(name, offset));
    graph_.add_output(id);
    if (!token_.is(',')) break;
    FL_TRY_VOID(advance());
  }
  if (token_.is(';')) FL_TRY_VOID(advance());
  return expect('}', "after the returned values");
}

}  // namespace

Result<Graph> parse_graph(std::string_view text) {
  if (text.size() > kMaxText) return invalid_argument("a graph text may have at most 16 MiB");
  return GraphParser(text).parse();
}

}  // namespace fuselab

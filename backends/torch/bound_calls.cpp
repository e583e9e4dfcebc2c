// SPDX-License-Identifier: Apache-2.0
#include "backends/torch/bound_calls.h"

#include <algorithm>
#include <array>
#include <bit>
#include <exception>
#include <string_view>

namespace fuselab::torch {
namespace {

constexpr std::size_t kMostArguments = 12;
constexpr std::size_t kMostScalars = 2;

std::string name_of_call(const Schema& schema) {
  return schema.name + (*schema.overload == '\0' ? "" : "." + std::string(schema.overload));
}

template <typename Object>
abi::Word word_of(Object* object) {
  return reinterpret_cast<abi::Word>(object);
}

}  // namespace

Result<std::unique_ptr<BoundCalls>> BoundCalls::bind(const TorchFunctions& torch, const TorchPlan& plan,
                                                     std::span<std::byte* const> memory, Place place) {
  std::unique_ptr<BoundCalls> bound(new BoundCalls(torch, plan));
  for (const PlanTensor& each : plan.tensors) FL_TRY_VOID(bound->show(each, memory[static_cast<std::size_t>(each.place)], place));
  return bound;
}

BoundCalls::~BoundCalls() {
  for (const abi::Handle each : handles_) calls_.delete_handle(each);
}

Status BoundCalls::show(const PlanTensor& tensor, std::byte* memory, Place place) {
  abi::Handle made = nullptr;
  FL_TRY_VOID(
      check(calls_.wrap(memory, static_cast<std::int64_t>(tensor.extents.size()), tensor.extents.data(), tensor.strides.data(),
                        tensor.offset, torch_.number_of(tensor.dtype), place.kind, place.index, &made),
            "placing a tensor"));
  handles_.push_back(made);
  void* data = nullptr;
  FL_TRY_VOID(check(calls_.data_of(made, &data), "placing a tensor"));
  data_.push_back(data);
  return {};
}

Status BoundCalls::run() {
  for (const Call& each : plan_.calls) FL_TRY_VOID(each.function == nullptr ? dispatch(each) : call(each));
  return {};
}

Status BoundCalls::check_results() {
  const auto& tensors = plan_.tensors;
  for (std::size_t i = 0; i < handles_.size(); ++i) {
    std::int64_t rank = 0;
    std::int64_t* extents = nullptr;
    void* data = nullptr;
    FL_TRY_VOID(check(calls_.rank_of(handles_[i], &rank), "looking at a result"));
    FL_TRY_VOID(check(calls_.extents_of(handles_[i], &extents), "looking at a result"));
    FL_TRY_VOID(check(calls_.data_of(handles_[i], &data), "looking at a result"));
    const Extents& told = tensors[i].extents;
    const bool same = static_cast<std::size_t>(rank) == told.size() && std::equal(told.begin(), told.end(), extents);
    if (!same || data != data_[i])
      return Error{ErrorCode::kLaunchFailed, "PyTorch gave a tensor other extents or memory than it was told"};
  }
  return {};
}

// A call takes the handles that it is given: it gets one of its own.
Result<abi::Word> BoundCalls::reference(Ref ref) const {
  abi::Handle made = nullptr;
  FL_TRY_VOID(check(calls_.new_handle(handle(ref), &made), "passing a tensor"));
  return word_of(made);
}

Result<abi::Word> BoundCalls::boxed(abi::Word word) const {
  abi::Word* box = nullptr;
  if (calls_.new_box == nullptr) {
    box = new abi::Word;  // the call deletes it
  } else {
    FL_TRY_VOID(check(calls_.new_box(&box), "passing what may be absent"));
  }
  *box = word;
  return word_of(box);
}

// `may_lack`: an element that is no tensor of the plan is none.
template <typename Element>
Result<abi::Word> BoundCalls::list(const std::vector<Element>& elements, bool may_lack) const {
  void* made = nullptr;
  FL_TRY_VOID(check(calls_.new_list(elements.size(), &made), "passing a list"));
  for (const Element& each : elements) {
    abi::Word word = 0;
    if constexpr (std::is_same_v<Element, Ref>) {
      if (each.tensor >= 0) {
        FL_TRY(word, reference(each));
        if (may_lack) {
          FL_TRY(word, boxed(word));
        }
      }
    } else {
      word = static_cast<abi::Word>(each);
    }
    FL_TRY_VOID(check(calls_.push(made, word), "passing a list"));
  }
  return word_of(made);
}

Result<abi::Word> BoundCalls::text(const char* words) const {
  void* made = nullptr;
  FL_TRY_VOID(check(calls_.new_text(words, std::string_view(words).size(), &made), "passing a word"));
  return word_of(made);
}

Result<abi::Word> BoundCalls::pack(char letter, const Argument& argument) const {
  switch (letter) {
    case 't': return reference(std::get<Ref>(argument));
    case 'v':
    case 'w': return list(std::get<std::vector<Ref>>(argument), letter == 'w');
    case 'i': return static_cast<abi::Word>(std::get<std::int64_t>(argument));
    case 'f': return std::bit_cast<abi::Word>(std::get<double>(argument));
    case 'b': return abi::Word{std::get<bool>(argument)};
    case 'l': return list(std::get<Extents>(argument));
    case 's': return text(std::get<const char*>(argument));
    default: break;
  }
  if (std::holds_alternative<None>(argument)) return abi::Word{0};
  constexpr std::string_view kOptional = "ojmgr", kPlain = "tilfs";
  FL_TRY(const abi::Word word, pack(kPlain[kOptional.find(letter)], argument));
  return boxed(word);
}

Status BoundCalls::dispatch(const Call& call) const {
  const Schema& schema = *call.schema;
  std::array<abi::Word, kMostArguments> stack{};
  // What was packed before a failure belongs to no call yet. Lists and boxes are left: a failure here means no memory.
  const auto drop = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if (schema.arguments[i] == 't') calls_.delete_handle(reinterpret_cast<abi::Handle>(stack[i]));
    }
  };
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto word = pack(schema.arguments[i], call.arguments[i]);
    if (!word.ok()) {
      drop(i);
      return word.error();
    }
    stack[i] = word.value();
  }
  if (calls_.call(schema.name, schema.overload, stack.data(), torch_.version()) != 0) {
    const Status failed = check(1, name_of_call(schema));
    // It has taken no tensor of an operator that it does not know.
    const bool has_taken = failed.ok() || failed.error().message.find("Could not find schema") == std::string::npos;
    if (!has_taken) drop(call.arguments.size());
    return failed;
  }
  Status copied;
  if (call.copied_to >= 0) copied = copy(call.copied_to, reinterpret_cast<abi::Handle>(stack[0]));
  for (int i = 0; i < schema.results; ++i) {
    // A result that an operator leaves out has no handle.
    if (stack[static_cast<std::size_t>(i)] != 0)
      calls_.delete_handle(reinterpret_cast<abi::Handle>(stack[static_cast<std::size_t>(i)]));
  }
  return copied;
}

Status BoundCalls::copy(int to, abi::Handle from) const {
  std::array<abi::Word, 3> stack{};
  abi::Handle source = nullptr;
  FL_TRY_VOID(check(calls_.new_handle(from, &source), "copying a result"));
  const auto target = reference({to});
  if (!target.ok()) {
    calls_.delete_handle(source);
    return target.error();
  }
  stack[0] = target.value();
  stack[1] = word_of(source);
  FL_TRY_VOID(check(calls_.call("aten::copy_", "", stack.data(), torch_.version()), "copying a result"));
  calls_.delete_handle(reinterpret_cast<abi::Handle>(stack[0]));
  return {};
}

// A C++ function of references: tensors and numbers. It says by an exception that it fails.
Status BoundCalls::call(const Call& call) const {
  std::array<const void*, 6> at{};
  std::array<abi::Scalar, kMostScalars> scalars{};
  std::size_t numbers = 0;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (const auto* const ref = std::get_if<Ref>(&call.arguments[i])) {
      at[i] = handle(*ref);
    } else {
      const auto* const whole = std::get_if<std::int64_t>(&call.arguments[i]);
      scalars[numbers] = whole != nullptr ? abi::Scalar{1, static_cast<abi::Word>(*whole)}
                                          : abi::Scalar{0, std::bit_cast<abi::Word>(std::get<double>(call.arguments[i]))};
      at[i] = &scalars[numbers++];
    }
  }
  using P = const void*;
  try {
    switch (call.arguments.size()) {
      case 3: reinterpret_cast<P (*)(P, P, P)>(call.function)(at[0], at[1], at[2]); break;
      case 4: reinterpret_cast<P (*)(P, P, P, P)>(call.function)(at[0], at[1], at[2], at[3]); break;
      default: reinterpret_cast<P (*)(P, P, P, P, P, P)>(call.function)(at[0], at[1], at[2], at[3], at[4], at[5]); break;
    }
  } catch (const std::exception& failure) {
    return Error{ErrorCode::kLaunchFailed, name_of_call(*call.schema) + ": " + one_line(failure.what())};
  }
  return {};
}

}  // namespace fuselab::torch

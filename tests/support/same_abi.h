// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

namespace fuselab::test {

// Handles are opaque and enumerations are integers: two parameters agree when they are passed alike.
template <typename Ours, typename Theirs>
constexpr bool kPassedAlike =
    sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>&& std::is_floating_point_v<Ours> ==
                                          std::is_floating_point_v<Theirs>;

// Whether two functions take as many arguments, each passed in the same way, and answer alike.
template <typename Ours, typename Theirs>
struct SameCall : std::false_type {};
template <typename R, typename... A, typename S, typename... B>
requires(sizeof...(A) == sizeof...(B)) struct SameCall<R (*)(A...), S (*)(B...)>
    : std::bool_constant<kPassedAlike<R, S> && (kPassedAlike<A, B> && ...)> {
};

}  // namespace fuselab::test

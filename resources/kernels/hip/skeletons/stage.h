// SPDX-License-Identifier: Apache-2.0
// needs: unit
// Tiles of operands in shared memory: lines that hold parts of 16 bytes along the depth of a product. They arrive through
// registers.

// Where parts would meet in banks, they change places within eight, or lines have an odd number of places.
template <int Parts>
constexpr bool kIsSwizzled = (Parts & (Parts - 1)) == 0;
template <int Parts>
constexpr int kPitchOf = kIsSwizzled<Parts> ? Parts : Parts | 1;  // of a line, in parts
template <int Parts>
FL_DEVICE int fl_part_at(int line, int part) {
  constexpr int kShift = Parts >= 8 ? 0 : Parts == 4 ? 1 : 2, kMask = Parts >= 8 ? 7 : Parts - 1;
  return (line * kPitchOf<Parts> + (kIsSwizzled<Parts> ? part ^ (line >> kShift & kMask) : part)) * kPart;
}

// `valid` elements from a place in memory, zeros behind them.
FL_DEVICE fl_vec<fl_operand, kPart> fl_part_of(const fl_operand* from, long long at, int valid) {
  fl_vec<fl_operand, kPart> part = {};
  if (valid >= kPart) {
    part = fl_load<fl_operand, kPart>(from + at);
  } else {
#pragma unroll
    for (int e = 0; e < kPart; ++e)
      if (e < valid) part.v[e] = from[at + e];
  }
  return part;
}
FL_DEVICE int fl_valid(int at, int end) {
  return at >= end ? 0 : end - at < kPart ? end - at : kPart;
}

// One operand's tile on its way: what each of Threads threads brings of Lines lines. Kind 0: parts along depth; 1: the operand's
// neighbours in memory are lines, and four steps of depth are turned at a time; 2, 3: element by element, neighbouring threads read
// along depth, or along lines.
template <int Lines, int Parts, int Kind, int Threads>
struct fl_stage {
  static constexpr int kTurns = Kind == 1 ? 4 : 1;  // parts that a thread brings together
  static constexpr int kAll = Lines * Parts / kTurns, kOfThread = (kAll + Threads - 1) / Threads;
  fl_vec<fl_operand, kPart> held[kOfThread * kTurns];

  // The first line and the first step of depth.
  FL_DEVICE static void place_of(int i, int& line, int& k) {
    const int at = i * Threads + fl_thread();
    if constexpr (Kind == 1) {
      line = at % (Lines / kPart) * kPart, k = at / (Lines / kPart) * kTurns;
    } else if constexpr (Kind == 3) {
      line = at % Lines, k = at / Lines * kPart;
    } else {
      line = at / Parts, k = at % Parts * kPart;
    }
  }
  FL_DEVICE static bool has(int i) { return kAll % Threads == 0 || i * Threads + fl_thread() < kAll; }

  // element(line, k) is one number; part(line, k, valid) the elements behind one, along depth or along lines.
  template <typename Element, typename Part>
  FL_DEVICE void fetch(int first, int lines, int k0, int depth, const Element& element, const Part& part_of) {
#pragma unroll
    for (int i = 0; i < kOfThread; ++i) {
      if (!has(i)) continue;
      int line, within;
      place_of(i, line, within);
      const int of = first + line, k = k0 + within;
      if constexpr (Kind == 0) {
        held[i] = part_of(of, k, of < lines ? fl_valid(k, depth) : 0);
      } else if constexpr (Kind == 1) {
#pragma unroll
        for (int t = 0; t < kTurns; ++t) held[i * kTurns + t] = part_of(of, k + t, k + t < depth ? fl_valid(of, lines) : 0);
      } else {
#pragma unroll
        for (int e = 0; e < kPart; ++e)
          held[i].v[e] = of < lines && k + e < depth ? fl_operand_of(element(of, k + e)) : fl_operand{};
      }
    }
  }
  FL_DEVICE void settle(fl_operand* tile) const {
#pragma unroll
    for (int i = 0; i < kOfThread; ++i) {
      if (!has(i)) continue;
      int line, k;
      place_of(i, line, k);
      if constexpr (Kind == 1) {
#pragma unroll
        for (int l = 0; l < kPart; ++l) {
          fl_vec<fl_operand, kTurns> turned;
#pragma unroll
          for (int t = 0; t < kTurns; ++t) turned.v[t] = held[i * kTurns + t].v[l];
          fl_store<fl_operand, kTurns>(tile + fl_part_at<Parts>(line + l, k / kPart) + k % kPart, turned);
        }
      } else {
        fl_store<fl_operand, kPart>(tile + fl_part_at<Parts>(line, k / kPart), held[i]);
      }
    }
  }
};

// Bytes without a sign are read as those with one that are 128 less.
FL_DEVICE signed char fl_flipped(signed char x) {
  return static_cast<signed char>(x ^ 0x80);
}
template <typename T>
FL_DEVICE T fl_flipped(T x) {
  return x;
}
template <int Parts, bool Flipped>
FL_DEVICE fl_fragment fl_read_fragment(const fl_operand* tile, int first, int k) {
  fl_fragment fragment;
#pragma unroll
  for (int p = 0; p < kUnitRead / kPart; ++p) {
    const int part = k / kPart + fl_unit_group() * (kUnitRead / kPart) + p;
    const auto read = fl_load<fl_operand, kPart>(tile + fl_part_at<Parts>(first + fl_unit_line(), part));
#pragma unroll
    for (int e = 0; e < kPart; ++e) fragment.v[p * kPart + e] = Flipped ? fl_flipped(read.v[e]) : read.v[e];
  }
  return fragment;
}

// SPDX-License-Identifier: Apache-2.0
// needs: parts
// Convolutions whose images lie with channels last: a pixel holds its channels as whole parts of 16 bytes, and the depth runs over
// the window and, for each of its taps, over channels. fl_lay_out brings images and weights from channels first into that order;
// fl_left and fl_right are what tiles_mma.cuh multiplies then. Before this text stand:
//   kImages, kFilters, the images of every group and the rows of weights; kChannels of a group; kHeld, those with the zeros behind
//   them; kDepth, kHeight, kWidth, and kOutHeight, kOutWidth; of the window kWindow…, kStride…, kPad…, kDilation…, for Z, Y and X
//   kPixelsRead and kTapsRead, neighbours that are read at once; kImagesComputed; kWeightsStay, where they need no other order
//   fl_given_left and fl_given_right, where operands begin; fl_image_element(in, at), one element of the images
//   fl_scratch, and kImagesAt and kWeightsAt, the bytes in it behind which they begin; kLeftRow, kK, the depth

constexpr int kPixels = kDepth * kHeight * kWidth, kTaps = kWindowZ * kWindowY * kWindowX;
constexpr int kTurnThreads = 256, kTurnRows = 8 * kPart, kTurnColumns = 128 / static_cast<int>(sizeof(fl_operand));
constexpr int kTurnPitch = kTurnColumns + 4 / static_cast<int>(sizeof(fl_operand));  // a word more: columns fall into other banks
constexpr int kTurnsOfRows = (kHeld + kTurnRows - 1) / kTurnRows;
constexpr int kTurnsOfImages = kImages * kTurnsOfRows * ((kPixels + kTurnColumns - 1) / kTurnColumns);

FL_DEVICE fl_operand* fl_images(const fl_arguments& in) {
  return reinterpret_cast<fl_operand*>(fl_scratch(in) + kImagesAt);
}
FL_DEVICE fl_operand* fl_weights(const fl_arguments& in) {
  return reinterpret_cast<fl_operand*>(fl_scratch(in) + kWeightsAt);
}

// Turns a tile of matrices kChannels × Columns: a column's kHeld elements follow each other. given(at) reads Read elements.
template <int Columns, int Read, typename Given>
FL_DEVICE void fl_turn(fl_operand* to, int tile, const Given& given) {
  FL_DYNAMIC_SHARED(fl_operand, rows, kTurnRows * kTurnPitch, 0);
  constexpr int kAcross = (Columns + kTurnColumns - 1) / kTurnColumns;
  constexpr int kWide = Columns < kTurnColumns ? Columns : kTurnColumns, kParts = kTurnRows < kHeld ? 8 : kHeld / kPart;
  const int column0 = tile % kAcross * kTurnColumns, row0 = tile / kAcross % kTurnsOfRows * kTurnRows;
  const int matrix = tile / kAcross / kTurnsOfRows;
  constexpr int kReads = kParts * kPart * (kWide / Read), kTurns = (kReads + kTurnThreads - 1) / kTurnThreads;
  fl_vec<fl_operand, Read> read[kTurns];
#pragma unroll
  for (int i = 0; i < kTurns; ++i) {
    const int at = i * kTurnThreads + fl_thread(), row = row0 + at / (kWide / Read), column = column0 + at % (kWide / Read) * Read;
    read[i] = {};
    if (at < kReads && row < kChannels && column < Columns) read[i] = given((matrix * kChannels + row) * Columns + column);
  }
#pragma unroll
  for (int i = 0; i < kTurns; ++i) {
    const int at = i * kTurnThreads + fl_thread();
    if (at >= kReads) continue;
#pragma unroll
    for (int e = 0; e < Read; ++e) rows[at / (kWide / Read) * kTurnPitch + at % (kWide / Read) * Read + e] = read[i].v[e];
  }
  fl_barrier();
  // Neighbours write parts of one column, as many as their reads find in different banks.
  constexpr int kMostNear = sizeof(fl_operand) == 2 ? 4 : 8, kNear = kParts < kMostNear ? kParts : kMostNear;
  constexpr int kWrites = (kParts + kNear - 1) / kNear * kNear * kWide;
#pragma unroll
  for (int i = 0; i < (kWrites + kTurnThreads - 1) / kTurnThreads; ++i) {
    const int at = i * kTurnThreads + fl_thread(), column = at / kNear % kWide, part = at / (kNear * kWide) * kNear + at % kNear;
    if (part >= kParts || row0 + part * kPart >= kHeld || column0 + column >= Columns) continue;
    fl_vec<fl_operand, kPart> turned;
#pragma unroll
    for (int e = 0; e < kPart; ++e) turned.v[e] = rows[(part * kPart + e) * kTurnPitch + column];
    fl_store<fl_operand, kPart>(to + (matrix * Columns + column0 + column) * kHeld + row0 + part * kPart, turned);
  }
}

// A block turns one tile of the images, and those behind them one of the weights.
FL_DEVICE void fl_lay_out(const fl_arguments& in) {
  const int block = static_cast<int>(fl_block());
  if (block < kTurnsOfImages) {
    fl_turn<kPixels, kPixelsRead>(fl_images(in), block, [&](int at) {
      fl_vec<fl_operand, kPixelsRead> read;
      if constexpr (kImagesComputed) {
        read.v[0] = fl_unit::operand(fl_image_element(in, at));
      } else {
        read = fl_load_readonly<fl_operand, kPixelsRead>(fl_given_right(in) + at);
      }
      return read;
    });
  } else if constexpr (!kWeightsStay) {
    fl_turn<kTaps, kTapsRead>(fl_weights(in), block - kTurnsOfImages,
                              [&](int at) { return fl_load_readonly<fl_operand, kTapsRead>(fl_given_left(in) + at); });
  }
}

// Whether the index is one of so many; those below zero are not.
FL_DEVICE bool fl_is_one_of(int index, int count) {
  return static_cast<unsigned>(index) < static_cast<unsigned>(count);
}
// The pixel under one tap of a result's window; -1: beside the image.
FL_DEVICE int fl_pixel(int column, int tap) {
  constexpr bool kFlat =
      kDepth == 1 && kWindowZ == 1 && kPadZ == 0 && kN == kOutHeight * kOutWidth;  // column and tap are of one plane
  const int line = column / kOutWidth, tap_line = tap / kWindowX;
  const int z = kFlat ? 0 : line / kOutHeight * kStrideZ - kPadZ + tap_line / kWindowY * kDilationZ;
  const int y = (kFlat ? line : line % kOutHeight) * kStrideY - kPadY + (kFlat ? tap_line : tap_line % kWindowY) * kDilationY;
  const int x = column % kOutWidth * kStrideX - kPadX + tap % kWindowX * kDilationX;
  const bool inside = fl_is_one_of(z, kDepth) && fl_is_one_of(y, kHeight) && fl_is_one_of(x, kWidth);
  return inside ? (z * kHeight + y) * kWidth + x : -1;
}

FL_DEVICE const fl_operand* fl_left(const fl_arguments& in) {
  if constexpr (kWeightsStay) return fl_given_left(in);
  return fl_weights(in);
}

// The right operand: lines of a tile are results, and what they hold along depth lies in the pixels under their windows.
struct fl_pixels {
  const fl_operand* from;
  FL_DEVICE fl_pixels operator+(long long elements) const { return {from + elements}; }
};
FL_DEVICE fl_pixels fl_right(const fl_arguments& in) {
  return {fl_images(in)};
}
// Lines behind the last result hold any pixels: their sums are not stored.
template <int Lines, int Parts, bool Turned>
FL_DEVICE void fl_fetch_parts(fl_operand* to, fl_pixels pixels, long long, int first, int, int k0) {
  constexpr int kAll = Lines * Parts, kOfBlock = kWarpsM * kWarpsN * 32;
  const int part = fl_thread() % Parts, k = k0 + part * kPart, tap = k / kHeld;  // in each turn the same
#pragma unroll
  for (int i = 0; i < (kAll + kOfBlock - 1) / kOfBlock; ++i) {
    const int at = i * kOfBlock + fl_thread(), line = at / Parts;
    if (kAll % kOfBlock != 0 && at >= kAll) continue;
    const int pixel = k < kK ? fl_pixel(first + line, tap) : -1;
    fl_copy_async_part(to + fl_part_at<Parts>(line, part), pixels.from + (pixel < 0 ? 0 : pixel * kHeld + k % kHeld),
                       pixel < 0 ? 0 : 16);
  }
}

// One element of each operand, for plain_sum.cuh.
FL_DEVICE float fl_value(float x) {
  return x;
}
template <typename T>
FL_DEVICE float fl_value(T x) {
  return fl_to_f32(x);
}
FL_DEVICE fl_total fl_left_element(const fl_arguments& in, int batch, int row, int k) {
  return fl_value(fl_left(in)[fl_left_at(in, batch) + row * kLeftRow + k]);
}
FL_DEVICE fl_total fl_right_element(const fl_arguments& in, int batch, int k, int column) {
  const int pixel = fl_pixel(column, k / kHeld);
  return pixel < 0 ? 0.0f : fl_value(fl_images(in)[fl_right_at(in, batch) + pixel * kHeld + k % kHeld]);
}

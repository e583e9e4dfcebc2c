// SPDX-License-Identifier: Apache-2.0
// Convolutions of few rows of weights a group, depthwise ones above all: a thread makes kDown × kAcross neighbouring results of one
// row. It reads each line of the image under them once, and keeps a plane of weights in registers. Before this text stand:
//   kM, kN, kBatches, the rows of a group, results of a row, images of every group; kLeftRow, the elements of a row of weights
//   kChannels of a group; kDepth, kHeight, kWidth, kOutDepth, kOutHeight, kOutWidth; of the window kWindow…, kStride…, kPad…,
//   kDilation…, for Z, Y and X
//   kAcross, kDown; kThreads of a block; kRead, elements that lie aligned together in each line of the image
//   fl_left and fl_right, where weights and images begin; fl_left_at and fl_right_at, where a batch begins in them
//   fl_finish(in, batch, row, column, sums), which makes kLanes results

constexpr int kSpan = (kAcross - 1) * kStrideX + (kWindowX - 1) * kDilationX + 1;  // of a line under a strip
constexpr int kLines = (kDown - 1) * kStrideY + (kWindowY - 1) * kDilationY + 1;
constexpr int kLead = (kRead - kPadX % kRead) % kRead;  // elements before a strip's first, where kRead of them begin
constexpr int kStripsX = (kOutWidth + kAcross - 1) / kAcross, kStripsY = (kOutHeight + kDown - 1) / kDown;
constexpr int kStrips = kBatches * kM * kOutDepth * kStripsY * kStripsX;

FL_DEVICE float fl_value(float x) {
  return x;
}
template <typename T>
FL_DEVICE float fl_value(T x) {
  return fl_to_f32(x);
}

// Reads what lies from x0 on; beside the image are zeros. Elements that lie together are read at once where half of them are
// wanted.
FL_DEVICE void fl_read_line(float* line, const fl_operand* from, bool is_inside, int x0) {
#pragma unroll
  for (int first = -kLead; first < kSpan; first += kRead) {
    const int begin = first < 0 ? 0 : first, end = first + kRead < kSpan ? first + kRead : kSpan;
    if (2 * (end - begin) >= kRead) {
      fl_vec<fl_operand, kRead> read = {};
      const int x = x0 + first;
      if (is_inside && x >= 0 && x < kWidth) read = fl_load_readonly<fl_operand, kRead>(from + x);
#pragma unroll
      for (int at = begin; at < end; ++at) line[at] = fl_value(read.v[at - first]);
    } else {
#pragma unroll
      for (int at = begin; at < end; ++at) {
        fl_vec<fl_operand, 1> read = {};
        const int x = x0 + at;
        if (is_inside && x >= 0 && x < kWidth) read = fl_load_readonly<fl_operand, 1>(from + x);
        line[at] = fl_value(read.v[0]);
      }
    }
  }
}

// kLanes sums as fl_finish takes them: one alone is a plain number.
template <int N>
FL_DEVICE auto fl_strip(const float* sums) {
  if constexpr (N == 1) {
    return sums[0];
  } else {
    fl_vec<float, N> strip;
#pragma unroll
    for (int e = 0; e < N; ++e) strip.v[e] = sums[e];
    return strip;
  }
}

FL_DEVICE void fl_windows(const fl_arguments& in) {
  const int strip = static_cast<int>(fl_block()) * kThreads + fl_thread();
  if (strip >= kStrips) return;
  const int x = strip % kStripsX * kAcross, y = strip / kStripsX % kStripsY * kDown;
  const int z = strip / (kStripsX * kStripsY) % kOutDepth, line = strip / (kStripsX * kStripsY * kOutDepth);
  const int row = line % kM, batch = line / kM;
  const fl_operand* const weights = fl_left(in) + fl_left_at(in, batch) + row * kLeftRow;
  const fl_operand* const images = fl_right(in) + fl_right_at(in, batch);
  float sums[kDown][kAcross] = {};
#pragma unroll 1
  for (int plane = 0; plane < kChannels * kWindowZ; ++plane) {
    const int from_z = z * kStrideZ - kPadZ + plane % kWindowZ * kDilationZ;
    if (from_z < 0 || from_z >= kDepth) continue;
    float weight[kWindowY * kWindowX];
#pragma unroll
    for (int tap = 0; tap < kWindowY * kWindowX; ++tap)
      weight[tap] = fl_value(fl_load_readonly<fl_operand, 1>(weights + plane * (kWindowY * kWindowX) + tap).v[0]);
    const fl_operand* const image = images + (plane / kWindowZ * kDepth + from_z) * (kHeight * kWidth);
#pragma unroll
    for (int i = 0; i < kLines; ++i) {
      const int from_y = y * kStrideY - kPadY + i;
      float under[kSpan];
      fl_read_line(under, image + from_y * kWidth, from_y >= 0 && from_y < kHeight, x * kStrideX - kPadX);
#pragma unroll
      for (int tap = 0; tap < kWindowY; ++tap) {
        const int down = (i - tap * kDilationY) / kStrideY;
        if (i < tap * kDilationY || down * kStrideY + tap * kDilationY != i || down >= kDown) continue;
#pragma unroll
        for (int across = 0; across < kAcross; ++across)
#pragma unroll
          for (int e = 0; e < kWindowX; ++e)
            sums[down][across] += weight[tap * kWindowX + e] * under[across * kStrideX + e * kDilationX];
      }
    }
  }
#pragma unroll
  for (int down = 0; down < kDown; ++down)
#pragma unroll
    for (int across = 0; across < kAcross; across += kLanes) {
      if (y + down >= kOutHeight || x + across >= kOutWidth) continue;
      fl_finish(in, batch, row, (z * kOutHeight + y + down) * kOutWidth + x + across, fl_strip<kLanes>(sums[down] + across));
    }
}

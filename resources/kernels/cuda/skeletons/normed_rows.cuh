// SPDX-License-Identifier: Apache-2.0
// needs: parts, unit_bf16
// Rows of the left operand are normalised while they are multiplied (RMSNormalization). Its weights multiply what the unit is given,
// and the squares of what it would be given are summed beside. A row's factor commutes with the product: it scales the sums.
// Before this text stand, besides what products need: fl_norm_weights, where the weights begin; fl_norm_epsilon.

struct fl_row_factors {
  const fl_operand* weights;        // kStages times those of kTileK steps of depth
  float squares[kWarpM / 16][2];    // of a lane's steps; then the factors of its rows
  FL_DEVICE void begin() {
    FL_DYNAMIC_SHARED(fl_operand, norm_tiles, kStages * kTileK, kStages * (kTileM + kTileN) * kTileK * sizeof(fl_operand));
    weights = norm_tiles;
#pragma unroll
    for (int i = 0; i < kWarpM / 16; ++i) squares[i][0] = squares[i][1] = 0.0f;
  }
  FL_DEVICE void fetch(const fl_arguments& in, int step) const {
    if (fl_thread() >= kPartsOfRow) return;
    const int k = step * kTileK + fl_thread() * kPart, left = kK - k, valid = left <= 0 ? 0 : left < kPart ? left : kPart;
    fl_copy_async_part(const_cast<fl_operand*>(weights) + step % kStages * kTileK + fl_thread() * kPart,
                       fl_norm_weights(in) + (valid > 0 ? k : 0), valid * static_cast<int>(sizeof(fl_operand)));
  }
  // Takes 16 steps of depth of the warp's rows, those from `part` on of a stage.
  FL_DEVICE void take(fl_fragment (&left)[kWarpM / 16], int stage, int part) {
    const fl_operand* const here = weights + stage * kTileK + part * kPart + fl_lane() % 4 * 2;
    unsigned weigh[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) weigh[half] = fl_load<unsigned, 1>(reinterpret_cast<const unsigned*>(here + half * 8)).v[0];
#pragma unroll
    for (int i = 0; i < kWarpM / 16; ++i)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float low = first_of(left[i].bits[e]), high = second_of(left[i].bits[e]);
        squares[i][e % 2] = fl_fma(low, low, fl_fma(high, high, squares[i][e % 2]));
        left[i].bits[e] = fl_pack_bf16(low * first_of(weigh[e / 2]), high * second_of(weigh[e / 2]));
      }
  }
  FL_DEVICE void settle(const fl_arguments& in) {
#pragma unroll
    for (int i = 0; i < kWarpM / 16; ++i)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float sum = squares[i][half];
#pragma unroll
        for (int mask = 1; mask <= 2; mask *= 2) sum += fl_shuffle_xor(sum, mask, 32);
        squares[i][half] = 1.0f / fl_sqrt(sum / static_cast<float>(kK) + fl_norm_epsilon(in));
      }
  }
  FL_DEVICE fl_total scaled(fl_total sum, int i, int element) const { return sum * squares[i][element / 2]; }

  FL_DEVICE static float first_of(unsigned pair) { return fl_of_bits(pair << 16); }
  FL_DEVICE static float second_of(unsigned pair) { return fl_of_bits(pair & 0xffff0000u); }
};

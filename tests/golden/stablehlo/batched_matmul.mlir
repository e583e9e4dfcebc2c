module @fuselab {
  func.func public @main(%arg0: tensor<2x1x4x8xf32>, %arg1: tensor<3x8x6xf32>, %out0: tensor<2x3x4x6xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<2x3x4x6xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<2x1x4x8xf32>) -> tensor<2x3x4x8xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<3x8x6xf32>) -> tensor<2x3x8x6xf32>
    %2 = stablehlo.dot_general %0, %1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [HIGHEST, HIGHEST] : (tensor<2x3x4x8xf32>, tensor<2x3x8x6xf32>) -> tensor<2x3x4x6xf32>
    return %2 : tensor<2x3x4x6xf32>
  }
}

module @fuselab {
  func.func public @main(%arg0: tensor<64xf32>, %arg1: tensor<144xf32>) -> (tensor<144xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<64xf32>) -> tensor<2x1x4x8xf32>
    %1 = stablehlo.reshape %arg1 : (tensor<144xf32>) -> tensor<3x8x6xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2, 3] : (tensor<2x1x4x8xf32>) -> tensor<2x3x4x8xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [1, 2, 3] : (tensor<3x8x6xf32>) -> tensor<2x3x8x6xf32>
    %4 = stablehlo.dot_general %2, %3, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [HIGHEST, HIGHEST] : (tensor<2x3x4x8xf32>, tensor<2x3x8x6xf32>) -> tensor<2x3x4x6xf32>
    %5 = stablehlo.reshape %4 : (tensor<2x3x4x6xf32>) -> tensor<144xf32>
    return %5 : tensor<144xf32>
  }
}

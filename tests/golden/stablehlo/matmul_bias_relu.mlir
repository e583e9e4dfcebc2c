module @fuselab {
  func.func public @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x6xf32>, %arg2: tensor<6xf32>, %out0: tensor<4x6xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<4x6xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<6xf32>) -> tensor<4x6xf32>
    %2 = stablehlo.add %0, %1 : tensor<4x6xf32>
    %3 = stablehlo.constant dense<0x00000000> : tensor<4x6xf32>
    %4 = stablehlo.maximum %2, %3 : tensor<4x6xf32>
    return %4 : tensor<4x6xf32>
  }
}

module @fuselab {
  func.func public @main(%arg0: tensor<8x4xf32>, %arg1: tensor<6x8xf32>, %arg2: tensor<6xf32>, %out0: tensor<4x6xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<4x6xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [1], precision = [HIGHEST, HIGHEST] : (tensor<8x4xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    %1 = stablehlo.constant dense<0x3F000000> : tensor<4x6xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<4x6xf32>
    %3 = stablehlo.constant dense<0x40000000> : tensor<6xf32>
    %4 = stablehlo.multiply %arg2, %3 : tensor<6xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<6xf32>) -> tensor<4x6xf32>
    %6 = stablehlo.add %2, %5 : tensor<4x6xf32>
    return %6 : tensor<4x6xf32>
  }
}

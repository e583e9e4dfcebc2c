module @fuselab {
  func.func public @main(%arg0: tensor<32xf32>, %arg1: tensor<48xf32>, %arg2: tensor<6xf32>) -> (tensor<24xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<32xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.reshape %arg1 : (tensor<48xf32>) -> tensor<8x6xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<6xf32>) -> tensor<4x6xf32>
    %4 = stablehlo.add %2, %3 : tensor<4x6xf32>
    %5 = stablehlo.constant dense<0x00000000> : tensor<4x6xf32>
    %6 = stablehlo.maximum %4, %5 : tensor<4x6xf32>
    %7 = stablehlo.reshape %6 : (tensor<4x6xf32>) -> tensor<24xf32>
    return %7 : tensor<24xf32>
  }
}

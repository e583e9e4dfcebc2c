module @fuselab {
  func.func public @main(%arg0: tensor<32xf32>, %arg1: tensor<48xf32>, %arg2: tensor<6xf32>) -> (tensor<24xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<32xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.reshape %arg1 : (tensor<48xf32>) -> tensor<6x8xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [0] x [1], precision = [HIGHEST, HIGHEST] : (tensor<8x4xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    %3 = stablehlo.constant dense<0x3F000000> : tensor<4x6xf32>
    %4 = stablehlo.multiply %2, %3 : tensor<4x6xf32>
    %5 = stablehlo.constant dense<0x40000000> : tensor<6xf32>
    %6 = stablehlo.multiply %arg2, %5 : tensor<6xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<6xf32>) -> tensor<4x6xf32>
    %8 = stablehlo.add %4, %7 : tensor<4x6xf32>
    %9 = stablehlo.reshape %8 : (tensor<4x6xf32>) -> tensor<24xf32>
    return %9 : tensor<24xf32>
  }
}

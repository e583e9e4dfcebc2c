module @fuselab {
  func.func public @main(%arg0: tensor<5x7xf32>, %out0: tensor<5x7xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<5x7xf32>) {
    %0 = stablehlo.constant dense<0x3F000000> : tensor<5x7xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<5x7xf32>
    %2 = stablehlo.constant dense<0x3F3504F3> : tensor<5x7xf32>
    %3 = stablehlo.multiply %arg0, %2 : tensor<5x7xf32>
    %4 = chlo.erf %3 : tensor<5x7xf32> -> tensor<5x7xf32>
    %5 = stablehlo.constant dense<0x3F800000> : tensor<5x7xf32>
    %6 = stablehlo.add %4, %5 : tensor<5x7xf32>
    %7 = stablehlo.multiply %1, %6 : tensor<5x7xf32>
    %8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %9 = stablehlo.reduce(%7 init: %8) applies stablehlo.maximum across dimensions = [1] : (tensor<5x7xf32>, tensor<f32>) -> tensor<5xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<5xf32>) -> tensor<5x7xf32>
    %11 = stablehlo.subtract %7, %10 : tensor<5x7xf32>
    %12 = stablehlo.exponential %11 : tensor<5x7xf32>
    %13 = stablehlo.constant dense<0x00000000> : tensor<f32>
    %14 = stablehlo.reduce(%12 init: %13) applies stablehlo.add across dimensions = [1] : (tensor<5x7xf32>, tensor<f32>) -> tensor<5xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<5xf32>) -> tensor<5x7xf32>
    %16 = stablehlo.divide %12, %15 : tensor<5x7xf32>
    return %16 : tensor<5x7xf32>
  }
}

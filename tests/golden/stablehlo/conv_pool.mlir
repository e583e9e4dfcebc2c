module @fuselab {
  func.func public @main(%arg0: tensor<1x4x9x9xf32>, %arg1: tensor<6x2x3x3xf32>, %arg2: tensor<6xf32>, %out0: tensor<1x6x4x4xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<1x6x4x4xf32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<1x4x9x9xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x9x9xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<6xf32>) -> tensor<1x6x9x9xf32>
    %2 = stablehlo.add %0, %1 : tensor<1x6x9x9xf32>
    %3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = "stablehlo.reduce_window"(%2, %3) ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): %r = stablehlo.maximum %a, %b : tensor<f32> stablehlo.return %r : tensor<f32> }) {window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>, window_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>} : (tensor<1x6x9x9xf32>, tensor<f32>) -> tensor<1x6x4x4xf32>
    return %4 : tensor<1x6x4x4xf32>
  }
}

//! The named values of a problem: direction, type, layout, epilogue and operand.

use crate::raw::c_enum::c_enum;

c_enum! {
    /// Which of the three tensors x (input), w (weights) and y (output) is computed from the other two.
    Direction ("direction") {
        /// y (the output) is computed from x (the input) and w (the weights).
        Forward = ATC_FORWARD => "forward",
        /// x (the gradient of the input) is computed from w (the weights) and y (the gradient of
        /// the output).
        BackwardData = ATC_BACKWARD_DATA => "backward-data",
        /// w (the gradient of the weights) is computed from x (the input) and y (the gradient of
        /// the output).
        BackwardWeight = ATC_BACKWARD_WEIGHT => "backward-weight",
    }
}

c_enum! {
    /// The type of a tensor's elements.
    DType ("dtype") {
        /// IEEE single precision.
        F32 = ATC_DTYPE_F32 => "f32",
        /// bfloat16.
        Bf16 = ATC_DTYPE_BF16 => "bf16",
        /// IEEE half precision.
        F16 = ATC_DTYPE_F16 => "f16",
    }
}

c_enum! {
    /// How the elements of x, w and y lie in memory.
    Layout ("layout") {
        /// The order of memory is batch, channels, spatial dimensions (NCHW). The tensors have no gaps, and the last
        /// dimension has stride 1.
        ChannelsFirst = ATC_LAYOUT_CHANNELS_FIRST => "channels-first",
        /// The order of memory is batch, spatial dimensions, channels (NHWC). The tensors have no gaps, and dimension 1
        /// (the channels) has stride 1.
        ChannelsLast = ATC_LAYOUT_CHANNELS_LAST => "channels-last",
        /// The tensors have the strides that [`Problem::strides`](crate::Problem::strides) sets.
        Strided = ATC_LAYOUT_STRIDED => "strided",
    }
}

c_enum! {
    /// The operation that follows a forward convolution.
    Epilogue ("epilogue") {
        /// No operation follows.
        None = ATC_EPILOGUE_NONE => "none",
        /// A bias is added to the result of the convolution.
        Bias = ATC_EPILOGUE_BIAS => "bias",
        /// A bias is added to the result of the convolution, and then negative values become 0.
        BiasRelu = ATC_EPILOGUE_BIAS_RELU => "bias-relu",
    }
}

c_enum! {
    /// One tensor of a convolution.
    Operand ("operand") {
        /// x (the input), of shape `[batch, in_channels, input…]`.
        X = ATC_OPERAND_X => "x",
        /// w (the weights), of shape `[out_channels, in_channels / groups, kernel…]`. In a
        /// transposed convolution the shape is `[in_channels, out_channels / groups, kernel…]`.
        W = ATC_OPERAND_W => "w",
        /// The bias, of shape `[channels of the output]`.
        Bias = ATC_OPERAND_BIAS => "bias",
        /// y (the output), of shape `[batch, out_channels, output…]`.
        Y = ATC_OPERAND_Y => "y",
        /// The scale (a factor for each channel of the output), of shape `[channels of the output]`.
        Scale = ATC_OPERAND_SCALE => "scale",
        /// The residual (a tensor that is added to the result), of shape `[batch, out_channels, output…]`.
        Residual = ATC_OPERAND_RESIDUAL => "residual",
    }
}

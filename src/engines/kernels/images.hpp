// The images (fatbins: compiled device code) of atc's own kernels. The build embeds them into the
// library. Each call of atc_embed_kernels in a CMakeLists.txt defines one image.
#pragma once

namespace atc::cuda {

extern const unsigned char kDenseKernels[], kDenseFilterKernels[], kDensePointwiseKernels[],
    kDensePointwiseWeightKernels[], kDensePointwiseWeightSumKernels[], kDenseWeightKernels[],
    kDenseWeightSumKernels[];
extern const unsigned char kDepthwiseAheadKernels[], kDepthwiseDirectKernels[],
    kDepthwiseFirstKernels[], kDepthwiseLastKernels[], kDepthwiseRowKernels[];
extern const unsigned char kDepthwiseWeightKernels[], kDepthwiseWeightFirstKernels[],
    kDepthwiseWeightLastKernels[], kDepthwiseWeightAheadKernels[];
extern const unsigned char kFirstKernels[], kFirstGradientKernels[], kFirstScatterKernels[],
    kFirstStripKernels[];
extern const unsigned char kGroupedKernels[], kGroupedGradientKernels[];
extern const unsigned char kImplicitKernels[], kImplicitGradientKernels[], kImplicitFilterKernels[],
    kImplicitRasterKernels[], kImplicitRasterGradientKernels[];

}  // namespace atc::cuda

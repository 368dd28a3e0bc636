"""A network for the segmentation of volumes: the plain U-Net that nnU-Net configures for patches of 128 x 128 x
128."""

import torch
from torch import nn

from . import Network, mean_square

# The numbers of channels of the stages. Each stage halves the spatial extents.
WIDTHS = (32, 64, 128, 256, 320, 320)


def block(inputs, outputs, stride=1):
    return nn.Sequential(nn.Conv3d(inputs, outputs, 3, stride, 1), nn.InstanceNorm3d(outputs, affine=True),
                         nn.LeakyReLU(0.01, inplace=True))


class VolumeUNet(nn.Module):
    """A network with two convolutions in each stage, transposed convolutions upwards, and a 1x1x1 output at each
    resolution except the lowest."""

    def __init__(self, inputs=4, classes=4):
        super().__init__()
        self.down, self.up, self.merge, self.outputs = (nn.ModuleList() for _ in range(4))
        previous = inputs
        for i, width in enumerate(WIDTHS):
            self.down.append(nn.Sequential(block(previous, width, 1 if i == 0 else 2), block(width, width)))
            previous = width
        for below, width in zip(WIDTHS[:0:-1], WIDTHS[-2::-1]):
            self.up.append(nn.ConvTranspose3d(below, width, 2, 2))
            self.merge.append(nn.Sequential(block(2 * width, width), block(width, width)))
            self.outputs.append(nn.Conv3d(width, classes, 1))

    def forward(self, volumes):
        kept = []
        for stage in self.down:
            volumes = stage(volumes)
            kept.append(volumes)
        kept.pop()
        results = []
        for up, merge, output in zip(self.up, self.merge, self.outputs):
            volumes = merge(torch.cat([up(volumes), kept.pop()], 1))
            results.append(output(volumes))
        return results


NETWORKS = {
    "nnunet_3d": Network("Isensee et al., nnU-Net, Nature Methods 18 (2021): 3-D full resolution, 4 modalities",
                         "segmentation of volumes", VolumeUNet, (4, 128, 128, 128), 2, mean_square),
}

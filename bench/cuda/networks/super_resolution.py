"""A network for super-resolution, whose layers have few channels and large images."""

from torch import nn

from . import Network, mean_square


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU(),
                                  nn.Conv2d(channels, channels, 3, padding=1))

    def forward(self, x):
        return x + self.body(x)


class SuperResolution(nn.Module):
    """EDSR's baseline: 16 blocks of 64 channels at the low resolution, then a factor of 4 by two pixel shuffles."""

    def __init__(self, channels=64, blocks=16):
        super().__init__()
        self.head = nn.Conv2d(3, channels, 3, padding=1)
        self.body = nn.Sequential(*(Residual(channels) for _ in range(blocks)),
                                  nn.Conv2d(channels, channels, 3, padding=1))
        double = [layer for _ in range(2)
                  for layer in (nn.Conv2d(channels, 4 * channels, 3, padding=1), nn.PixelShuffle(2))]
        self.tail = nn.Sequential(*double, nn.Conv2d(channels, 3, 3, padding=1))

    def forward(self, x):
        x = self.head(x)
        return self.tail(x + self.body(x))


NETWORKS = {
    "edsr": Network("Lim et al., arXiv:1707.02921: baseline, factor 4, to 1280 x 1920", "super-resolution",
                    SuperResolution, (3, 320, 480), 4, mean_square),
}

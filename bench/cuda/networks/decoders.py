"""Decoders from latents to images and to video, as autoencoders of diffusion models have them."""

import torch
from torch import nn
from torch.nn import functional

from . import Network, mean_square


class Attention(nn.Module):
    """Attention with one head over the positions of an image: [N, C, H, W]."""

    def __init__(self, channels):
        super().__init__()
        self.norm = nn.GroupNorm(32, channels, 1e-6)
        self.to_qkv = nn.Conv2d(channels, 3 * channels, 1)
        self.out = nn.Conv2d(channels, channels, 1)

    def forward(self, x):
        n, c, h, w = x.shape
        q, k, v = self.to_qkv(self.norm(x)).reshape(n, 3, c, h * w).transpose(2, 3).unbind(1)
        y = functional.scaled_dot_product_attention(q[:, None], k[:, None], v[:, None])[:, 0]
        return x + self.out(y.transpose(1, 2).reshape(n, c, h, w))


class ImageBlock(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(32, inputs, 1e-6), nn.Conv2d(inputs, outputs, 3, padding=1)
        self.norm2, self.conv2 = nn.GroupNorm(32, outputs, 1e-6), nn.Conv2d(outputs, outputs, 3, padding=1)
        self.shortcut = nn.Conv2d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x):
        y = self.conv1(functional.silu(self.norm1(x)))
        return self.shortcut(x) + self.conv2(functional.silu(self.norm2(y)))


class ImageUpsample(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return self.conv(functional.interpolate(x, scale_factor=2.0, mode="nearest"))


class ImageDecoder(nn.Sequential):
    """The decoder of latent diffusion's autoencoder, which enlarges height and width by the factor 8."""

    def __init__(self, latents=4, widths=(512, 512, 256, 128)):
        layers = [nn.Conv2d(latents, latents, 1), nn.Conv2d(latents, widths[0], 3, padding=1),
                  ImageBlock(widths[0], widths[0]), Attention(widths[0]), ImageBlock(widths[0], widths[0])]
        previous = widths[0]
        for i, width in enumerate(widths):
            layers += [ImageBlock(previous if j == 0 else width, width) for j in range(3)]
            layers += [ImageUpsample(width)] if i + 1 < len(widths) else []
            previous = width
        super().__init__(*layers, nn.GroupNorm(32, previous, 1e-6), nn.SiLU(), nn.Conv2d(previous, 3, 3, padding=1))


class CausalConv3d(nn.Sequential):
    """A convolution that pads the dimension of time only at its beginning, so that no frame depends on a later frame.
    Tensors are [N, C, frames, H, W]."""

    def __init__(self, inputs, outputs, kernel):
        super().__init__(nn.ConstantPad3d((0, 0, 0, 0, kernel[0] - 1, 0), 0.0),
                         nn.Conv3d(inputs, outputs, kernel, padding=(0, kernel[1] // 2, kernel[2] // 2)))


class ChannelNorm(nn.Module):
    """Root-mean-square normalisation over the channels."""

    def __init__(self, channels):
        super().__init__()
        self.scale, self.gamma = channels**0.5, nn.Parameter(torch.ones(channels, 1, 1, 1))

    def forward(self, x):
        return functional.normalize(x, dim=1) * self.scale * self.gamma


class VideoBlock(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.norm1, self.conv1 = ChannelNorm(inputs), CausalConv3d(inputs, outputs, (3, 3, 3))
        self.norm2, self.conv2 = ChannelNorm(outputs), CausalConv3d(outputs, outputs, (3, 3, 3))
        self.shortcut = CausalConv3d(inputs, outputs, (1, 1, 1)) if inputs != outputs else nn.Identity()

    def forward(self, x):
        y = self.conv1(functional.silu(self.norm1(x)))
        return self.shortcut(x) + self.conv2(functional.silu(self.norm2(y)))


class VideoUpsample(nn.Module):
    """Doubles the height and width of the image and halves the number of channels. With `time`, each frame
    except the first also becomes two frames."""

    def __init__(self, channels, time):
        super().__init__()
        self.time = CausalConv3d(channels, 2 * channels, (3, 1, 1)) if time else None
        self.conv = nn.Conv2d(channels, channels // 2, 3, padding=1)

    def forward(self, x):
        if self.time is not None:
            n, c, t, h, w = x.shape
            doubled = self.time(x[:, :, 1:]).reshape(n, 2, c, t - 1, h, w)
            doubled = doubled.permute(0, 2, 3, 1, 4, 5).reshape(n, c, 2 * (t - 1), h, w)
            x = torch.cat([x[:, :, :1], doubled], 2)
        n, c, t, h, w = x.shape
        frames = x.transpose(1, 2).reshape(n * t, c, h, w)
        frames = self.conv(functional.interpolate(frames, scale_factor=2.0, mode="nearest-exact"))
        return frames.reshape(n, t, c // 2, 2 * h, 2 * w).transpose(1, 2)


class VideoDecoder(nn.Sequential):
    """The decoder of Wan 2.1's autoencoder, which enlarges a whole clip by 8 in height and width and by 4 in time.
    The single attention layer of the decoder is left out."""

    def __init__(self, latents=16, widths=(384, 384, 384, 192, 96)):
        layers = [CausalConv3d(latents, latents, (1, 1, 1)), CausalConv3d(latents, widths[0], (3, 3, 3)),
                  VideoBlock(widths[0], widths[0]), VideoBlock(widths[0], widths[0])]
        for i, (inputs, outputs) in enumerate(zip(widths, widths[1:])):
            inputs = inputs // 2 if i > 0 else inputs
            layers += [VideoBlock(inputs if j == 0 else outputs, outputs) for j in range(3)]
            layers += [VideoUpsample(outputs, time=i < 2)] if i < 3 else []
        super().__init__(*layers, ChannelNorm(widths[-1]), nn.SiLU(), CausalConv3d(widths[-1], 3, (3, 3, 3)))


NETWORKS = {
    "image_decoder": Network("Rombach et al., arXiv:2112.10752, autoencoder kl-f8: decoder", "decoder of images",
                             ImageDecoder, (4, 64, 64), 4, mean_square),
    "video_decoder": Network("Wan Team, arXiv:2503.20314: decoder of the autoencoder, 17 frames of 240 x 416",
                             "decoder of video, causal 3x3x3", VideoDecoder, (16, 5, 30, 52), 1, mean_square),
}

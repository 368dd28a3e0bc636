"""Networks for speech: an encoder of waveforms and a generator of waveforms. Both have one spatial dimension."""

import torch
from torch import nn
from torch.nn import functional

from . import Network, mean_square


class SpeechEncoder(nn.Module):
    """wav2vec 2.0 (base): seven convolutions over the waveform, a positional convolution, a transformer."""

    KERNELS, STRIDES = (10, 3, 3, 3, 3, 2, 2), (5, 2, 2, 2, 2, 2, 2)

    def __init__(self, channels=512, width=768, layers=12):
        super().__init__()
        features = []
        for i, (kernel, stride) in enumerate(zip(self.KERNELS, self.STRIDES)):
            features += [nn.Conv1d(1 if i == 0 else channels, channels, kernel, stride, bias=False)]
            features += [nn.GroupNorm(channels, channels)] if i == 0 else []
            features += [nn.GELU()]
        self.features = nn.Sequential(*features)
        self.projection = nn.Sequential(nn.LayerNorm(channels), nn.Linear(channels, width))
        self.position = nn.Conv1d(width, width, 128, padding=64, groups=16)
        layer = nn.TransformerEncoderLayer(width, 12, 4 * width, activation="gelu", batch_first=True)
        self.transformer = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)

    def forward(self, waves):
        x = self.projection(self.features(waves).transpose(1, 2))
        position = functional.gelu(self.position(x.transpose(1, 2))[..., :-1])
        return self.transformer(x + position.transpose(1, 2))


class WaveBlock(nn.Module):
    """A block of three pairs of convolutions. The first convolutions of the pairs are dilated by
    1, 3 and 5."""

    def __init__(self, channels, kernel):
        super().__init__()
        self.first = nn.ModuleList(nn.Conv1d(channels, channels, kernel, dilation=d, padding=d * (kernel - 1) // 2)
                                   for d in (1, 3, 5))
        self.second = nn.ModuleList(nn.Conv1d(channels, channels, kernel, padding=(kernel - 1) // 2) for _ in range(3))

    def forward(self, x):
        for first, second in zip(self.first, self.second):
            x = x + second(functional.leaky_relu(first(functional.leaky_relu(x, 0.1)), 0.1))
        return x


class Vocoder(nn.Module):
    """HiFi-GAN's generator V1: from 80 mel bands to a waveform, by transposed convolutions of strides 8, 8, 2, 2."""

    def __init__(self, channels=512):
        super().__init__()
        self.before = nn.Conv1d(80, channels, 7, padding=3)
        self.up, self.blocks = nn.ModuleList(), nn.ModuleList()
        for rate, kernel in ((8, 16), (8, 16), (2, 4), (2, 4)):
            self.up.append(nn.ConvTranspose1d(channels, channels // 2, kernel, rate, (kernel - rate) // 2))
            channels //= 2
            self.blocks.append(nn.ModuleList(WaveBlock(channels, kernel) for kernel in (3, 7, 11)))
        self.after = nn.Conv1d(channels, 1, 7, padding=3)

    def forward(self, bands):
        x = self.before(bands)
        for up, blocks in zip(self.up, self.blocks):
            x = up(functional.leaky_relu(x, 0.1))
            x = sum(block(x) for block in blocks) / len(blocks)
        return torch.tanh(self.after(functional.leaky_relu(x)))


NETWORKS = {
    "wav2vec2": Network("Baevski et al., arXiv:2006.11477: base model, 5 s at 16 kHz", "encoder of speech",
                        SpeechEncoder, (1, 80000), 8, mean_square),
    "hifigan": Network("Kong et al., arXiv:2010.05646: generator V1, 128 frames", "generator of speech", Vocoder,
                       (80, 128), 16, mean_square),
}

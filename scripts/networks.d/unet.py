"""U-Net as published (Ronneberger, Fischer, Brox 2015, figure 1): four steps down and four steps up, each with two 3 x
3 convolutions. There is one difference: here the convolutions are padded, as is usual now, so that the output is as
large as the input. In the paper they are not padded."""

import torch
from torch import nn


def twice(channels: int, filters: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(channels, filters, 3, padding=1),
        nn.ReLU(inplace=True),
        nn.Conv2d(filters, filters, 3, padding=1),
        nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    WIDTHS = (64, 128, 256, 512, 1024)

    def __init__(self, channels: int = 1, classes: int = 2):
        super().__init__()
        inputs = (channels, *self.WIDTHS)
        self.down = nn.ModuleList(twice(inputs[i], width) for i, width in enumerate(self.WIDTHS))
        upward = self.WIDTHS[-2::-1]
        self.up = nn.ModuleList(nn.ConvTranspose2d(2 * width, width, 2, stride=2) for width in upward)
        self.join = nn.ModuleList(twice(2 * width, width) for width in upward)
        self.last = nn.Conv2d(self.WIDTHS[0], classes, 1)
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        levels = []
        for down in self.down:
            levels.append(down(self.pool(levels[-1]) if levels else x))
        x = levels.pop()
        for up, join in zip(self.up, self.join, strict=True):
            x = join(torch.cat((levels.pop(), up(x)), dim=1))
        return self.last(x)

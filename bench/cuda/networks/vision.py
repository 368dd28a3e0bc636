"""Networks of torchvision: classifiers of images and of video, a detector, and a network with dilated layers."""

import torch

from . import Network, mean_square


def torchvision_model(name, **options):
    def make():
        import torchvision
        return torchvision.models.get_model(name, weights=None, **options)
    return make


class Detector(torch.nn.Module):
    """The backbone, the pyramid and the heads of FCOS. The losses and the selection of boxes are left out, because
    they wait for the device and contain no convolution."""

    def __init__(self):
        super().__init__()
        import torchvision
        whole = torchvision.models.detection.fcos_resnet50_fpn(weights=None, weights_backbone=None)
        self.backbone, self.head = whole.backbone, whole.head

    def forward(self, images):
        return list(self.head(list(self.backbone(images).values())).values())


class Segmenter(torch.nn.Module):
    """DeepLabV3 with a tensor as output in place of a dictionary."""

    def __init__(self):
        super().__init__()
        self.whole = torchvision_model("deeplabv3_resnet50", weights_backbone=None)()

    def forward(self, images):
        return self.whole(images)["out"]


def classifier(name, kind, shape=(3, 224, 224), batch=128, **options):
    return Network(f"torchvision.models, {name}", kind, torchvision_model(name, **options), shape, batch)


NETWORKS = {
    "resnet50": classifier("resnet50", "image classifier"),
    "convnext_tiny": classifier("convnext_tiny", "image classifier, depthwise 7x7"),
    "efficientnet_b0": classifier("efficientnet_b0", "image classifier, depthwise"),
    "resnext50_32x4d": classifier("resnext50_32x4d", "image classifier, groups of 4 to 32 channels"),
    "regnet_y_3_2gf": classifier("regnet_y_3_2gf", "image classifier, groups of 24 channels"),
    "mobilenet_v3_large": classifier("mobilenet_v3_large", "image classifier, depthwise"),
    "densenet121": classifier("densenet121", "image classifier, dense connections"),
    "inception_v3": classifier("inception_v3", "image classifier, filters 1x7 and 7x1", (3, 299, 299), 128,
                               aux_logits=False, init_weights=False),
    "r2plus1d_18": classifier("r2plus1d_18", "video classifier, filters 1x3x3 and 3x1x1", (3, 16, 112, 112), 16),
    "fcos_resnet50": Network("torchvision.models.detection, fcos_resnet50_fpn: backbone, pyramid, heads", "detector",
                             Detector, (3, 800, 1216), 4, mean_square),
    "deeplabv3_resnet50": Network("torchvision.models.segmentation, deeplabv3_resnet50",
                                  "semantic segmentation, dilation 2 to 36", Segmenter, (3, 512, 512), 8),
}

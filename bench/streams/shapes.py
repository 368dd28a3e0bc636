"""Generates random streams of input shapes, as in programs whose shapes change from step to step.

Each stream is a list of shapes of one input batch, in the order of the steps. Equal seeds give equal streams. The
source of each number is in the docstring of its stream. If no source gives a distribution, the docstring says that a
model is used, and the program can read the true list from a file in place of the model.
"""

import dataclasses
import json
import random
from collections.abc import Callable

STRIDE = 32  # the stride of the coarsest feature map of a detector; heights and widths of batches are multiples of it


def up(value, step=STRIDE):
    return -(-value // step) * step


def coco_sizes(rng, count):
    """Returns random sizes (height, width) with the distribution of COCO's images.

    The longer side is 640, because the images were scaled to this size for the data set (Lin et al., arXiv:1405.0312,
    and its downloads). The shares of the ratios of the sides are a model of this program: 45 % are 4:3, and 30 % are
    3:2. For the rest the shorter side is evenly distributed from 0.6 to 1 of the longer side. 3 of 4 images are
    landscapes. With this model 90 % of the ratios are between 0.6 and 1.5, and 90 % of the images have between 167,500
    and 410,000 pixels. (Reported for train2014: 0.6 to 1.5, and 167,500 to 355,840.) `--coco FILE` reads the sizes from
    an annotation file in place of the model.
    """
    for _ in range(count):
        which = rng.random()
        shorter = 480 if which < 0.45 else 427 if which < 0.75 else rng.randint(384, 640)
        yield (shorter, 640) if rng.random() < 0.75 else (640, shorter)


def detection(rng, steps, sizes=None):
    """Returns the shapes of a detector's training: batches of 2 images, scaled and padded as in torchvision.

    torchvision's transform scales the shorter side to 800, but the longer side to at most 1333. It pads the images of a
    batch to the same size, a multiple of 32 (torchvision.models.detection.transform: GeneralizedRCNNTransform with
    min_size 800, max_size 1333, size_divisible 32). A batch of 2 for each GPU, with images of one orientation in a
    batch, is the default of torchvision's references/detection/train.py (--batch-size 2, --aspect-ratio-group-factor
    3).
    """
    batch, groups = 2, {True: [], False: []}
    pool = sizes if sizes is not None else list(coco_sizes(rng, 4 * batch * steps))
    shapes = []
    while len(shapes) < steps:
        height, width = rng.choice(pool)
        scale = min(800 / min(height, width), 1333 / max(height, width))
        group = groups[height > width]
        group.append((int(height * scale), int(width * scale)))
        if len(group) == batch:
            shapes.append((batch, 3, up(max(h for h, _ in group)), up(max(w for _, w in group))))
            group.clear()
    return shapes


def multi_scale(rng, steps):
    """Returns the shapes of a YOLO detector's multi-scale training: batches of 16 square images, with a new size every
    10 steps.

    YOLOX (Megvii-BaseDetection/YOLOX, docs/manipulate_training_image_size.md): the sizes are evenly distributed from
    480 to 800 in steps of 32; a new size every 10 iterations (yolox/core/trainer.py).
    """
    shapes = []
    while len(shapes) < steps:
        size = STRIDE * rng.randint(480 // STRIDE, 800 // STRIDE)
        shapes += [(16, 3, size, size)] * min(10, steps - len(shapes))
    return shapes


# Heights and widths of SDXL's resolution buckets, up to the square bucket (Podell et al., arXiv:2307.01952, appendix
# I). The remaining buckets are the same with height and width exchanged.
BUCKETS = [(512, 2048), (512, 1984), (512, 1920), (512, 1856), (576, 1792), (576, 1728), (576, 1664), (640, 1600), (640, 1536),
           (704, 1472), (704, 1408), (704, 1344), (768, 1344), (768, 1280), (832, 1216), (832, 1152), (896, 1152), (896, 1088),
           (960, 1088), (960, 1024), (1024, 1024)]


def buckets(rng, steps):
    """Returns the shapes for training a decoder of latents on SDXL's resolution buckets: batches of 2, with a random
    bucket for each step.

    The paper gives the buckets, but not how often each occurs. In this program's model the logarithm of the ratio of
    the sides is normally distributed with a standard deviation of 0.35 (most pictures have sides of 2:3 to 3:2), and
    the nearest bucket is used. A latent has 4 channels and an eighth of each side (Rombach et al., arXiv:2112.10752).
    """
    import math
    all_buckets = BUCKETS + [(width, height) for height, width in BUCKETS if height != width]
    shapes = []
    for _ in range(steps):
        wanted = rng.gauss(0, 0.35)
        height, width = min(all_buckets, key=lambda sides: abs(math.log(sides[0] / sides[1]) - wanted))
        shapes.append((2, 4, height // 8, width // 8))
    return shapes


def utterance_seconds(rng):
    """Returns the random length of an utterance in seconds, as in LibriSpeech's training sets.

    Panayotov et al. (ICASSP 2015) report segments of up to 35 s. 960.9 h in 281,241 utterances are 12.3 s in the mean.
    The distribution is a model of this program: two thirds are normally distributed around 14.7 s (standard deviation
    1.2 s), and one third is evenly distributed from 1.5 s to 13.5 s. `--librispeech FILE` reads the lengths from a file
    in place of the model.
    """
    return max(1.0, rng.gauss(14.7, 1.2)) if rng.random() < 2 / 3 else rng.uniform(1.5, 13.5)


def speech(rng, steps, seconds=None):
    """Returns the shapes for pretraining an encoder of waveforms. A batch has at most 1,400,000 samples at 16 kHz, in
    utterances of similar length.

    The limits are those of wav2vec 2.0's configuration in fairseq (wav2vec2_base_librispeech.yaml): max_tokens
    1,400,000, max_sample_size 250,000, min_sample_size 32,000. The utterances are sorted by length before they are
    divided into batches, and each utterance is cut to the shortest length of its batch.
    """
    most, longest, shortest = 1_400_000, 250_000, 32_000
    pool = seconds if seconds is not None else [utterance_seconds(rng) for _ in range(40 * steps)]
    lengths = sorted(min(int(16_000 * length), longest) for length in pool if 16_000 * length >= shortest)
    batches, batch = [], []
    for length in lengths:
        if batch and length * (len(batch) + 1) > most:
            batches.append((len(batch), 1, batch[0]))
            batch = []
        batch.append(length)
    rng.shuffle(batches)
    return [batches[step % len(batches)] for step in range(steps)]


def serving(rng, steps):
    """Returns the shapes of a server of an image classifier: batches of 1 to 32 images.

    Requests arrive at random times (a Poisson process). A batch has all requests that arrived while the previous batch
    was computed: at least 1 and at most 32, and 12 in the mean. The mean is this program's choice. 224 x 224 is the
    input of ImageNet's classifiers.
    """
    shapes = []
    for _ in range(steps):
        batch, time = 0, rng.expovariate(1)
        while time < 12 and batch < 32:
            batch, time = batch + 1, time + rng.expovariate(1)
        shapes.append((max(batch, 1), 3, 224, 224))
    return shapes


@dataclasses.dataclass(frozen=True)
class Stream:
    # A function of a random number generator and a number of steps. It returns the list of shapes.
    shapes: Callable
    network: str      # the name of one of the networks in bench/cuda/networks
    trains: bool = True


STREAMS = {
    "detection": Stream(detection, "fcos_resnet50"),
    "multi_scale": Stream(multi_scale, "fcos_resnet50"),
    "buckets": Stream(buckets, "image_decoder"),
    "speech": Stream(speech, "wav2vec2"),
    "serving": Stream(serving, "resnet50", trains=False),
}


def stream(name, seed, steps, coco=None, librispeech=None):
    """Returns the shapes of a stream. `coco` is an annotation file of COCO. `librispeech` is a file with one length in
    seconds on each line."""
    rng = random.Random(f"{name} {seed}")
    if name == "detection" and coco is not None:
        with open(coco) as file:
            sizes = [(image["height"], image["width"]) for image in json.load(file)["images"]]
        return detection(rng, steps, sizes)
    if name == "speech" and librispeech is not None:
        with open(librispeech) as file:
            seconds = [float(line) for line in file if line.strip()]
        return speech(rng, steps, rng.sample(seconds, min(len(seconds), 40 * steps)))
    return STREAMS[name].shapes(rng, steps)

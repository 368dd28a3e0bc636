"""Eight machines push to a real S3 server while pushers and the server are killed, and nothing is lost: run.py ATC VERSITYGW [SEED]

ATC is a program `atc` with the feature `remote`, VERSITYGW the S3 server of https://github.com/versity/versitygw.
"""

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MACHINES = 8
SECRET = "a-secret-that-nobody-prints"
KEY = "a-key-that-nobody-prints"
LAYERS = "# name N C D H W K T R S pad stride dil groups\nplain 1 8 0 12 12 8 0 3 3 1 1 1 1\npoint 2 8 0 6 6 16 0 1 1 0 1 1 1\n"
URL = "s3://bucket/fleet"


class Server:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        (folder / "bucket").mkdir(parents=True)

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "--access", KEY, "--secret", SECRET, "--port", f"127.0.0.1:{self.port}", "posix", "--nometa", self.folder],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                if self.process.poll() is not None:
                    sys.exit(f"{self.program} ended with {self.process.returncode}")
                time.sleep(0.05)

    def kill(self):
        self.process.kill()
        self.process.wait()


def main(atc, versitygw, seed=None):
    folder = Path(tempfile.mkdtemp(prefix="atc-s3-"))
    server = Server(versitygw, folder / "server")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ATC_", "AWS_"))}
    environment |= {"AWS_ENDPOINT": f"http://127.0.0.1:{server.port}", "AWS_ALLOW_HTTP": "true", "AWS_ACCESS_KEY_ID": KEY,
                    "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": "us-east-1", "OMP_WAIT_POLICY": "passive"}
    said = []

    def run(*arguments, expected=0, **changed):
        done = subprocess.run([atc, *arguments], cwd=folder, env=environment | changed, capture_output=True, text=True)
        said.append(done.stdout + done.stderr)
        if done.returncode != expected:
            sys.exit(f"atc {' '.join(arguments)}: exit code {done.returncode} instead of {expected}\n{said[-1]}")
        return done.stdout

    def digest(store):
        return json.loads(run("store", "ls", "--json", "--store", store))["digest"]

    try:
        (folder / "layers.txt").write_text(LAYERS)
        stores = [f"machine-{machine}" for machine in range(MACHINES)]
        for machine, store in enumerate(stores):
            for batch in (machine + 1, machine + 2):
                run("tune", "layers.txt", "--batch", str(batch), "--store", store, "--technique", "once", "--problem-budget", "60s")
            run("store", "export", "--store", store, "-o", f"{store}.bundle")
        run("store", "import", "--join", *(f"{store}.bundle" for store in stores), "--store", "expected")

        server.start()
        seed = seed or str(time.time_ns() % 10**6)
        print(f"seed {seed}")
        chance = random.Random(seed)
        # In each round all machines push at once. Some pushers are killed, and once the server.
        for turn in range(4):
            pushers = [subprocess.Popen([atc, "store", "push", URL, "--store", store], cwd=folder, env=environment,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for store in stores]
            time.sleep(chance.random() * 0.3)
            for pusher in chance.sample(pushers, 3):
                pusher.send_signal(signal.SIGKILL)
            if turn == 1:
                server.kill()
            for pusher in pushers:
                said.append(pusher.communicate()[0])
            if turn == 1:
                server.start()
        for store in stores:
            run("store", "push", URL, "--store", store)
        for store in chance.sample(stores, MACHINES) + ["new"]:
            run("store", "pull", URL, "--store", store)
        wanted = digest("expected")
        for store in [*stores, "new"]:
            if digest(store) != wanted:
                sys.exit(f"{store} has other choices than the joined bundles")
        if "nothing new of 1 environment" not in subprocess.run(
                [atc, "store", "push", URL, "--store", "new"], cwd=folder, env=environment, capture_output=True, text=True).stderr:
            sys.exit("the place lacks decisions that were pulled from it")
        run("store", "pull", URL, "--store", "denied", expected=1, AWS_SECRET_ACCESS_KEY="another-secret")
        if "access is denied" not in said[-1]:
            sys.exit(f"a wrong secret is told so: {said[-1]}")
        server.kill()
        run("store", "pull", URL, "--store", "denied", expected=1)
        for text in said:
            if KEY in text or SECRET in text:
                sys.exit(f"a credential was printed: {text}")
        print(f"{MACHINES} machines have equal digests: {wanted}")
    finally:
        if getattr(server, "process", None):
            server.kill()
        shutil.rmtree(folder)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])

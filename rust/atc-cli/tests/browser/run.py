"""Opens a report in Chromium, clicks through it and measures it: run.py ATC, the path of the command line program.

The report is shown in a frame of a page that runs check.js. Exit status 77: there is no Chromium.
"""

import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent


def page(report, width):
    # "</" in a string would end the script of the page.
    text = json.dumps(report).replace("</", "<\\/").replace("<!--", "<\\!--")
    return (
        '<!DOCTYPE html><meta charset="utf-8"><body style="margin: 0"><pre id="result">the script did not end</pre>'
        f'<iframe style="border: 0; width: {width}px; height: 900px"></iframe>'
        f"<script>const report = {text};\n{(HERE / 'check.js').read_text()}</script>"
    )


def chromium(browser, folder, *arguments):
    command = [browser, "--headless", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}/profile"]
    if os.geteuid() == 0:
        command.append("--no-sandbox")
    return subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=120, check=True).stdout


def main():
    names = ("chromium", "chromium-browser", "google-chrome")
    browser = next(filter(None, map(shutil.which, names)), None)
    if browser is None:
        print("there is no Chromium: apt install chromium", file=sys.stderr)
        return 77
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        results, report = folder / "results.json", folder / "report.html"
        results.write_text(subprocess.check_output([sys.executable, HERE / "results.py"], text=True))
        subprocess.run([sys.argv[1], "report", results, "-o", report], check=True)
        for width in (420, 1300):
            check = folder / f"check-{width}.html"
            check.write_text(page(report.read_text(), width))
            dumped = chromium(browser, folder, "--virtual-time-budget=20000", "--window-size=1400,1000",
                              "--dump-dom", check.as_uri())
            found = re.search(r'<pre id="result">(.*?)</pre>', dumped, re.DOTALL)
            result = html.unescape(found[1]) if found else "the page has no result"
            print(f"{width} pixels: {result}")
            failed |= not result.startswith("ok")
        printed = folder / "report.pdf"
        chromium(browser, folder, "--no-pdf-header-footer", f"--print-to-pdf={printed}", report.as_uri())
        pages = len(re.findall(rb"/Type\s*/Page\b", printed.read_bytes()))
        print(f"printed: {pages} pages")
        # The printed pages contain the tables of all problems, even of those whose details are
        # closed on the screen.
        failed |= pages < 8
    return int(failed)


sys.exit(main())

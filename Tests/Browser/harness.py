"""What the browser tests stand on: a server, a browser, a signed-in page, ears for what the page plays.

Environment:
  SOTTO          the program (default: .build/release/sotto); it is started with folders of its own
  SOTTO_MODELS   where the models are, as for the other tests
  SOTTO_URL, SOTTO_CODE
                 a server that runs already, and a fresh code for it; tests that restart the server are skipped then
  SOTTO_TEST_HOME
                 a folder that is not there yet, for the server's own folders (default: a temporary one); it is removed afterwards
  SOTTO_SPEECH   a folder for the recordings of speech that the tests make (default: a temporary one)
  CHROMIUM       the browser (default: /usr/bin/chromium)
"""

import array
import atexit
import base64
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request
import wave

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("SOTTO", str(ROOT / ".build/release/sotto"))
# Those of this user: the server itself has folders of its own.
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"))
MODELS = os.environ.get("SOTTO_MODELS", str(CACHE / "sotto/models"))
# Whether there is a model that answers: the one that tests are sure to have is made for tests.
ANSWERS = any(pathlib.Path(MODELS).glob("qwen*/*.gguf"))
PHONE = {"width": 390, "height": 844}
SMALL_PHONE = {"width": 360, "height": 740}
TABLET = {"width": 820, "height": 1180}
DESKTOP = {"width": 1280, "height": 800}
# Everything is slower where other work runs: these are for what must not hang, never for speed.
PATIENCE = 30_000
LONG = 600_000

EARS = """
(() => {
  // Listens to all that goes to the loudspeaker, sample by sample, on the clock of its context.
  window.heard = [];
  const connect = AudioNode.prototype.connect;
  const taps = new WeakMap();
  AudioNode.prototype.connect = function (target, ...rest) {
    const result = connect.call(this, target, ...rest);
    if (target instanceof AudioDestinationNode && !(this instanceof ScriptProcessorNode)) {
      let tap = taps.get(target);
      if (!tap) {
        tap = this.context.createScriptProcessor(4096, 1, 1);
        const recording = { rate: this.context.sampleRate, blocks: [] };
        window.heard.push(recording);
        const integer = (value) => Math.round(Math.max(-1, Math.min(1, value)) * 32767);
        tap.onaudioprocess = (event) => recording.blocks.push(Int16Array.from(event.inputBuffer.getChannelData(0), integer));
        connect.call(tap, target);
        taps.set(target, tap);
      }
      connect.call(this, tap);
    }
    return result;
  };
})();
"""


class Server:
    """`sotto serve` with folders of its own, or one that runs already."""

    def __init__(self):
        self.url = os.environ.get("SOTTO_URL")
        self.process = None
        self.home = None
        if self.url:
            self.code = os.environ["SOTTO_CODE"]
            self.url = self.url.rstrip("/")
            return
        self.home = pathlib.Path(os.environ.get("SOTTO_TEST_HOME") or tempfile.mkdtemp(prefix="sotto-browser-"))
        if os.environ.get("SOTTO_TEST_HOME"):
            # It is removed afterwards, so it must be nobody's.
            self.home.mkdir(parents=True)
        atexit.register(self.end)
        (self.home / "run").mkdir(mode=0o700)
        self.environment = dict(
            os.environ, XDG_DATA_HOME=str(self.home / "data"), XDG_CONFIG_HOME=str(self.home / "config"), XDG_CACHE_HOME=str(self.home / "cache"),
            XDG_RUNTIME_DIR=str(self.home / "run"), SOTTO_WEB=os.environ.get("SOTTO_WEB", str(ROOT / "Web")), SOTTO_MODELS=MODELS)
        # Nothing leaves the machine, and answers do not depend on what the web says today.
        self.command("settings", "set", "research", "off")
        self.port = 0
        self.start()

    def command(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], env=self.environment, check=True, capture_output=True, text=True, timeout=600).stdout

    def start(self):
        self.log = open(self.home / "serve.log", "a", encoding="utf-8")
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--port", str(self.port or 7900)], env=self.environment, stdout=subprocess.PIPE, stderr=self.log, text=True)
        # The last line of what it prints is the address.
        for line in self.process.stdout:
            match = re.search(r"(http://127\.0\.0\.1:(\d+))/#code=(\S+)", line)
            if match:
                self.url, self.port, self.code = match.group(1), int(match.group(2)), match.group(3)
                break
        else:
            raise AssertionError("sotto serve did not start: " + (self.home / "serve.log").read_text())
        threading.Thread(target=lambda pipe=self.process.stdout: [None for _ in pipe], daemon=True).start()

    def stop(self, kill=False):
        if self.process is None or self.process.poll() is not None:
            return
        self.log.close()
        self.process.send_signal(signal.SIGKILL if kill else signal.SIGINT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def end(self):
        self.stop()
        if self.home:
            shutil.rmtree(self.home, ignore_errors=True)


class Rig:
    """One server and one Playwright for all tests; browsers as they are needed, because the microphone is a browser's start option."""

    def __init__(self):
        self.server = Server()
        self.playwright = sync_playwright().start()
        self.browsers = {}
        self.state = None
        self.speech = pathlib.Path(os.environ.get("SOTTO_SPEECH") or tempfile.mkdtemp(prefix="sotto-speech-"))
        self.speech.mkdir(parents=True, exist_ok=True)
        atexit.register(self.close)

    def browser(self, microphone=None, allow=True):
        key = (str(microphone), allow)
        if key not in self.browsers:
            for old in self.browsers.values():
                old.close()
            self.browsers.clear()
            arguments = ["--no-sandbox", "--autoplay-policy=document-user-activation-required", "--use-fake-device-for-media-stream"]
            if allow:
                arguments.append("--use-fake-ui-for-media-stream")
            if microphone:
                arguments.append(f"--use-file-for-fake-audio-capture={microphone}%noloop")
            self.browsers[key] = self.playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=arguments)
        return self.browsers[key]

    def context(self, viewport=PHONE, microphone=None, allow=True, signed_in=True, **more):
        if signed_in and self.state is None:
            self.sign_in()
        options = dict(viewport=viewport, base_url=self.server.url, accept_downloads=True, **more)
        if viewport["width"] < 700:
            options.update(has_touch=True, is_mobile=True, device_scale_factor=1)
        if signed_in:
            options["storage_state"] = self.state
        options.setdefault("service_workers", "block")
        return self.browser(microphone, allow).new_context(**options)

    def sign_in(self):
        context = self.browser().new_context(service_workers="block")
        page = context.new_page()
        page.goto(f"{self.server.url}/#code={self.server.code}")
        page.wait_for_selector("nav.bar", timeout=PATIENCE)
        self.state = context.storage_state()
        # What a test keeps in the browser is its own.
        self.state["origins"] = []
        context.close()

    def api(self, method, path, value=None):
        """A request as the page itself would make it."""
        cookie = "; ".join(f"{one['name']}={one['value']}" for one in self.state["cookies"])
        request = urllib.request.Request(self.server.url + path, method=method, data=None if value is None else json.dumps(value).encode())
        request.add_header("Cookie", cookie)
        request.add_header("Origin", self.server.url)
        if value is not None:
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=600) as answer:
                body = answer.read()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read().decode(errors='replace')}") from None
        return json.loads(body) if body and "json" in (answer.headers["Content-Type"] or "") else body

    def put(self, path, body, kind):
        """Sends a document; waits while another one is read."""
        cookie = "; ".join(f"{one['name']}={one['value']}" for one in self.state["cookies"])
        end = time.monotonic() + LONG / 1000
        while True:
            request = urllib.request.Request(
                self.server.url + path, method="PUT", data=body, headers={"Cookie": cookie, "Origin": self.server.url, "Content-Type": kind})
            try:
                with urllib.request.urlopen(request, timeout=600):
                    return
            except urllib.error.HTTPError as error:
                if error.code != 409 or time.monotonic() > end:
                    raise AssertionError(f"PUT {path}: {error.code} {error.read().decode(errors='replace')}") from None
            time.sleep(0.5)

    def say(self, name, text, rest=1.5):
        """A recording of a text in a voice of Sotto's, with rests around, as a file for the microphone."""
        path = self.speech / f"{name}.wav"
        if not path.exists():
            if self.state is None:
                self.sign_in()
            made = self.speech / f"{name}.made.wav"
            voice = next(one["name"] for one in self.api("GET", "/api/voices")["voices"] if one["default"])
            made.write_bytes(self.api("POST", "/v1/audio/speech", {"model": "tts-1", "input": text, "voice": voice, "response_format": "wav"}))
            with_rests(made, path, rest)
            made.unlink()
        return path

    def close(self):
        for browser in self.browsers.values():
            with contextlib.suppress(Exception):
                browser.close()
        self.browsers.clear()
        with contextlib.suppress(Exception):
            self.playwright.stop()


def with_rests(source, target, seconds):
    with wave.open(str(source)) as reader:
        rate, frames = reader.getframerate(), reader.readframes(reader.getnframes())
    with wave.open(str(target), "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(rate)
        # A room is never digitally silent.
        rest = b"".join((index * 7919 % 5 - 2).to_bytes(2, "little", signed=True) for index in range(int(rate * seconds)))
        writer.writeframes(rest + frames + rest * 3)


_rig = None


def rig():
    global _rig
    if _rig is None:
        _rig = Rig()
    return _rig


class BrowserTest(unittest.TestCase):
    """A test with a page; whatever the page complains about fails the test."""

    viewport = PHONE
    microphone = None
    allow = True

    def setUp(self):
        self.rig = rig()
        self.complaints = []
        self.expected = []

    def open(self, route="agents", **options):
        if route is not None and self.rig.state is None and options.get("signed_in", True):
            self.rig.sign_in()
        context = self.rig.context(**{"viewport": self.viewport, "microphone": self.microphone, "allow": self.allow, **options})
        self.addCleanup(context.close)
        context.add_init_script(EARS)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        self.watch(page)
        page.goto(f"/#/{route}")
        page.wait_for_selector("nav.bar" if options.get("signed_in", True) else "main")
        return page

    def watch(self, page):
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error.stack or error}"))
        page.on("console", self.heed_console)
        page.on("response", self.heed_answer)
        page.on("request", self.heed_request)

    def heed_console(self, message):
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")

    def heed_answer(self, answer):
        if answer.status >= 400:
            self.complaints.append(f"status {answer.status}: {answer.request.method} {answer.url}")

    def heed_request(self, request):
        own = self.rig.server.url
        if not request.url.startswith((own + "/", own.replace("http", "ws", 1) + "/", "data:", "blob:")):
            self.complaints.append(f"outside request: {request.url}")

    def tearDown(self):
        # A status of 400 and more is told by the answer itself, with its address.
        noise = ("Service Worker registration blocked", "Failed to load resource: the server responded", "ScriptProcessorNode is deprecated",
                 "[Deprecation]")
        left = [line for line in self.complaints if not any(one in line for one in (*noise, *self.expected))]
        self.assertEqual(left, [], "the page complained")

    def wait(self, page, condition, argument=None, timeout=PATIENCE):
        page.wait_for_function(condition, arg=argument, timeout=timeout, polling=100)

    def needs_own_server(self):
        if self.rig.server.process is None:
            self.skipTest("the server is not the tests' own (SOTTO_URL)")

    def ask(self, question, **more):
        """A question that is done, made by the interface: for tests about what is shown of one."""
        job = self.rig.api("POST", "/api/agents", {"question": question, **more})["job"]
        end = time.monotonic() + LONG / 1000
        while time.monotonic() < end:
            job = self.rig.api("GET", f"/api/agents/{job['id']}")["job"]
            if job["state"] in ("completed", "failed", "cancelled"):
                return job
            time.sleep(0.5)
        self.fail("the question was not done")

    def recording(self, page, path):
        """Writes what the page played into a file, and returns its samples and their rate."""
        # The microphone has a context of its own, which plays nothing unless echo is on: the loudest is meant.
        tap = page.evaluate("""() => {
            const joined = window.heard.map(({ rate, blocks }) => {
                const samples = new Int16Array(blocks.reduce((sum, block) => sum + block.length, 0));
                let place = 0;
                for (const block of blocks) { samples.set(block, place); place += block.length; }
                return { rate, samples, power: samples.reduce((sum, value) => sum + value * value, 0) };
            }).sort((one, other) => other.power - one.power)[0];
            if (!joined) return null;
            const bytes = new Uint8Array(joined.samples.buffer);
            let text = "";
            for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
            return { rate: joined.rate, sound: btoa(text) };
        }""")
        self.assertIsNotNone(tap, "nothing was played")
        sound = base64.b64decode(tap["sound"])
        with wave.open(str(path), "wb") as writer:
            writer.setnchannels(1)
            writer.setsampwidth(2)
            writer.setframerate(int(tap["rate"]))
            writer.writeframes(sound)
        return array.array("h", sound), tap["rate"]


def words(text):
    return re.findall(r"[a-z0-9]+", text.lower())


def word_errors(reference, hypothesis):
    """Share of the reference's words that were missed, put in or changed."""
    one, other = words(reference), words(hypothesis)
    row = list(range(len(other) + 1))
    for index, word in enumerate(one, 1):
        above, row[0] = row[0], index
        for place, candidate in enumerate(other, 1):
            above, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, above + (word != candidate))
    return row[-1] / max(1, len(one))

"""A server of the release program with folders of its own, for benchmarks: started, asked, stopped."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Server:
    """`with Server() as server: server.ask("GET", "/api/agents")`. Leaves nothing behind."""

    def __init__(self, models, program=ROOT / ".build/release/sotto", port=0, environment=None):
        self.program, self.port = str(program), port
        self.folder = tempfile.TemporaryDirectory(prefix="sotto-serve-")
        base = pathlib.Path(self.folder.name)
        self.environment = dict(os.environ, SOTTO_MODELS=models, SOTTO_WEB=str(ROOT / "Web"), **(environment or {}))
        for name in ("DATA", "CONFIG", "CACHE", "RUNTIME"):
            (base / name.lower()).mkdir(mode=0o700)
            self.environment[f"XDG_{name}_HOME" if name != "RUNTIME" else "XDG_RUNTIME_DIR"] = str(base / name.lower())
        self.environment["HOME"] = str(base)

    def __enter__(self):
        self.start()
        return self

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "serve", "--port", str(self.port)], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            raise SystemExit("the server did not start")
        self.port = int(self.address.split(":")[2].split("/")[0])
        self.key = self.run("serve", "--key").stdout.strip()

    def run(self, *words):
        return subprocess.run([self.program, *words], env=self.environment, capture_output=True, text=True, check=True)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30)

    def __exit__(self, *_):
        self.stop()
        self.folder.cleanup()

    def ask(self, method, path, body=None, headers=None):
        data = None if body is None else json.dumps(body).encode()
        fields = {"Authorization": f"Bearer {self.key}", **({"Content-Type": "application/json"} if body is not None else {}), **(headers or {})}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data=data, method=method, headers=fields)
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def memory(self, field="VmRSS"):
        """Megabytes of the process."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(field):
                return int(line.split()[1]) / 1024
        return None

    def wait_for_job(self, number, limit=900):
        end = time.monotonic() + limit
        while time.monotonic() < end:
            job = self.ask("GET", f"/api/agents/{number}")["job"]
            if job["state"] in ("completed", "failed", "cancelled"):
                return job
            time.sleep(0.2)
        raise SystemExit(f"job {number} did not end")

#!/usr/bin/env python3
"""Ctrl-C at random moments of the whole main job, loading, reading, writing, checking and speaking included.

    cancel.py [TIMES] [SEED]

Runs `sotto ask --speak` once to its end to learn how long it takes, then TIMES (100) more, each interrupted at a moment drawn evenly from that
length. Prints one line of JSON; the exit status is 1 when an end took a second or more, left a file, or had another status than 130 (0 when the
job was done before the signal).
"""

import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("SOTTO_PROGRAM") or os.path.join(ROOT, ".build", "release", "sotto")
QUESTION = "Which command should an administrator use to edit the sudoers file safely?"


def main():
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    moments = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "answer.wav")
        command = [PROGRAM, "--quiet", "ask", QUESTION, "--mode", "quick", "--speak", output]
        began = time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        length = time.monotonic() - began
        os.remove(output)
        ends, faults, finished = [], [], 0
        for _ in range(times):
            moment = moments.uniform(0, length)
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
            try:
                process.wait(timeout=moment)
            except subprocess.TimeoutExpired:
                pass
            signalled = time.monotonic()
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            status = process.wait()
            took = time.monotonic() - signalled
            ends.append(took)
            left = os.listdir(folder)
            if status == 0:
                finished += 1
                os.remove(output)
                left = os.listdir(folder)
            if took >= 1 or left or status not in (0, 130):
                faults.append({"moment": round(moment, 2), "seconds": round(took, 3), "status": status, "left": left, "stderr": process.stderr.read().decode()[-200:]})
            # Children of the program have its session; none may outlive it.
            survivors = subprocess.run(["ps", "-o", "pid=", "-s", str(process.pid)], capture_output=True, text=True).stdout.split()
            if survivors:
                faults.append({"moment": round(moment, 2), "survivors": survivors})
    print(json.dumps({
        "name": "cancel of the whole program", "times": times, "jobSeconds": round(length, 1), "finishedBefore": finished,
        "medianSeconds": round(statistics.median(ends), 3), "slowestSeconds": round(max(ends), 3), "faults": faults}))
    sys.exit(1 if faults else 0)


main()

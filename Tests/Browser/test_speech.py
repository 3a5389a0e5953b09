"""What the app says: gapless, in sentences, with a place that is remembered."""

import unittest

from harness import DESKTOP, LONG, BrowserTest, word_errors

TEXT = "The first sentence is short. The second sentence is a little longer than the first one. Here comes the third sentence. And this is the end."


class Speaking(BrowserTest):
    viewport = DESKTOP

    def speak(self, page, text=TEXT):
        page.get_by_label("Text to say").fill(text)
        page.get_by_role("button", name="Speak", exact=True).click()
        page.locator(".sentence").first.wait_for(timeout=LONG)

    def ended(self, page):
        self.wait(page, "() => document.querySelector('.player') === null", timeout=LONG)
        page.wait_for_timeout(600)

    def test_said_whole_without_gaps_with_each_sentence_marked(self):
        page = self.open("speak")
        page.evaluate("""() => {
            window.marked = [];
            new MutationObserver(() => {
                const now = document.querySelector('.sentence.current')?.textContent;
                if (now && window.marked.at(-1) !== now) window.marked.push(now);
            }).observe(document.body, { subtree: true, childList: true, attributes: true });
        }""")
        self.speak(page)
        self.assertEqual(page.locator(".sentence").count(), 4)
        self.ended(page)
        path = self.rig.speech / "heard-text.wav"
        samples, rate = self.recording(page, path)
        self.assertEqual([text.split()[1] for text in page.evaluate("window.marked")], ["first", "second", "comes", "this"])
        report = page.evaluate("sotto.speech()")
        self.assertEqual([gap for gap in report["gaps"] if not gap["isDry"] and gap["seconds"] > 0.02], [])
        # What left the page holds no hole: digital silence within speech only where sound had not been made yet.
        holes = self.holes(samples, rate)
        dry = len([gap for gap in report["gaps"] if gap["isDry"]])
        self.assertLessEqual(len(holes), dry + 3, f"{holes} with {dry} waits for sound")
        if self.rig.server.process:
            self.assertLess(word_errors(TEXT, self.rig.server.command("transcribe", str(path))), 0.4)

    def holes(self, samples, rate):
        """Stretches of exact zeros within the sound, longer than a planned rest between sentences may be exact."""
        first = next(index for index, value in enumerate(samples) if abs(value) > 200)
        last = len(samples) - next(index for index, value in enumerate(reversed(samples)) if abs(value) > 200)
        holes, start = [], None
        for index in range(first, last):
            if samples[index] == 0:
                start = index if start is None else start
            else:
                if start is not None and index - start > 0.02 * rate:
                    holes.append(round((index - start) / rate, 3))
                start = None
        return holes

    def test_pause_back_forward_speed_and_place(self):
        page = self.open("speak")
        self.speak(page)
        self.wait(page, "() => document.querySelectorAll('.sentence')[1].classList.contains('current')", timeout=LONG)
        page.get_by_role("button", name="Pause").click()
        page.get_by_role("button", name="Play").wait_for()
        self.assertEqual(page.evaluate("sotto.speech().state"), "suspended")
        page.wait_for_timeout(500)
        self.assertTrue(page.locator(".sentence").nth(1).evaluate("(one) => one.classList.contains('current')"))
        page.get_by_role("button", name="Back one sentence").click()
        self.wait(page, "() => document.querySelectorAll('.sentence')[0].classList.contains('current')")
        page.get_by_role("button", name="Play").click()
        page.get_by_role("button", name="Forward one sentence").click()
        page.get_by_role("button", name="Forward one sentence").click()
        self.wait(page, "() => document.querySelectorAll('.sentence')[2].classList.contains('current')", timeout=LONG)
        page.get_by_label("Speed").select_option("1.5")
        self.wait(page, "() => sotto.speech().pieces > 0", timeout=LONG)
        self.assertTrue(page.locator(".sentence").nth(2).evaluate("(one) => one.classList.contains('current')"))
        # A reload forgets the sound and not the place.
        page.reload()
        page.get_by_role("button", name="Speak", exact=True).click()
        page.locator(".sentence").first.wait_for(timeout=LONG)
        self.wait(page, "() => [...document.querySelectorAll('.sentence')].findIndex((one) => one.classList.contains('current')) >= 2", timeout=LONG)
        page.get_by_role("button", name="Stop").click()

    def test_saved_as_a_file(self):
        page = self.open("speak")
        page.get_by_label("Text to say").fill("Good morning everybody.")
        page.get_by_role("button", name="Save").click()
        with page.expect_download(timeout=LONG) as download:
            page.get_by_role("button", name="WAV, as it was made").click()
        self.assertEqual(open(download.value.path(), "rb").read(4), b"RIFF")

    def test_a_restart_of_the_server_while_it_speaks(self):
        self.needs_own_server()
        self.expected = ["WebSocket connection", "ERR_", "net::"]
        page = self.open("speak")
        self.speak(page, TEXT + " " + TEXT.replace("sentence", "phrase"))
        self.wait(page, "() => sotto.speech().pieces > 0", timeout=LONG)
        self.rig.server.stop(kill=True)
        self.rig.server.start()
        self.ended(page)
        path = self.rig.speech / "heard-after-restart.wav"
        self.recording(page, path)
        self.assertLess(word_errors(TEXT + " " + TEXT.replace("sentence", "phrase"), self.rig.server.command("transcribe", str(path))), 0.4)


if __name__ == "__main__":
    unittest.main()

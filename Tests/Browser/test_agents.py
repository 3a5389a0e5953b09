"""Questions: asked by voice and by keyboard, watched, read, heard, broken off and gone on with."""

import re
import time
import unittest

from harness import ANSWERS, DESKTOP, LONG, BrowserTest, rig, word_errors

QUESTION = "Which command changes the disk quota limits of a user?"
DOCUMENTS = "/usr/share/doc/debian-handbook/html/en-US"
PAGES = ["sect.quotas.html", "sect.task-scheduling-cron-atd.html", "sect.asynchronous-task-scheduling-anacron.html"]


def library():
    """A few pages of the handbook, so that questions have an answer and no test waits long."""
    if any(root["documents"] >= len(PAGES) for root in rig().api("GET", "/api/library")["roots"]):
        return
    for name in PAGES:
        with open(f"{DOCUMENTS}/{name}", "rb") as file:
            rig().put(f"/api/library/files/{name}", file.read(), "text/html")
    end = time.monotonic() + LONG / 1000
    while sum(root["documents"] for root in rig().api("GET", "/api/library")["roots"]) < len(PAGES):
        if time.monotonic() > end:
            raise AssertionError("the documents were not read")
        time.sleep(0.5)


class AgentsTest(BrowserTest):
    def setUp(self):
        super().setUp()
        if self.rig.state is None:
            self.rig.sign_in()
        library()

    def send(self, page, text):
        page.get_by_role("textbox", name="Question", exact=True).fill(text)
        page.keyboard.press("Enter")
        self.wait(page, "() => /agents\\/\\d+/.test(location.hash)")
        return int(re.search(r"agents/(\d+)", page.url).group(1))

    def done(self, page):
        page.locator(".standing", has_text=re.compile("^(Done|Not answered|Failed|Digest)")).wait_for(timeout=LONG)


class ByVoice(AgentsTest):
    def test_asked_by_voice_watched_read_and_heard(self):
        microphone = self.rig.say("quota", QUESTION)
        page = self.open("agents", microphone=microphone)
        clipboard = "navigator.clipboard.readText().catch(() => 'unreadable')"
        before = page.evaluate(clipboard)
        field = page.get_by_role("textbox", name="Question", exact=True)
        page.get_by_role("button", name="Dictate the question").click()
        # Words are there while they are spoken, and settled ones in the field.
        page.locator(".live-text .tail, .live-text .committed").first.wait_for(state="attached")
        self.wait(page, "() => document.querySelector('.pill-input').value.length > 10")
        self.assertLess(word_errors(QUESTION, field.input_value()), 0.5)
        # The end of the turn stops the microphone by itself.
        page.get_by_role("button", name="Dictate the question").wait_for()
        self.assertEqual(page.evaluate(clipboard), before)
        # What was heard may be mended before it is sent, as a person would.
        field.fill(QUESTION)
        self.send(page, QUESTION)
        page.locator(".progress-part").wait_for()
        self.done(page)
        page.get_by_role("heading", name="Findings").wait_for()
        # The smallest model, which is all that some machines have, does not answer; what was read is shown all the same.
        isAnswered = "Done" in page.locator(".standing").inner_text()
        self.assertTrue(isAnswered or not ANSWERS, page.locator(".standing").inner_text())
        # The citation opens its passage, with the sentence marked and where it comes from.
        page.locator(".findings .citation" if isAnswered else ".source-row").first.click()
        sheet = page.get_by_role("dialog")
        sheet.locator(".passage").first.wait_for()
        self.assertIn(".html", sheet.locator(".source-place").inner_text())
        if isAnswered:
            sheet.locator(".passage.cited mark").first.wait_for()
            self.assertIn("edquota", sheet.locator(".passage.cited mark").first.inner_text())
        page.keyboard.press("Escape")
        sheet.wait_for(state="detached")
        # Claims with their verdict, sources with how much of them was read, steps with their times.
        if isAnswered:
            self.assertGreater(page.locator(".claim.supported").count(), 0)
        self.assertRegex(page.locator(".sources .badge").first.inner_text(), "full|partial|snippet|failed")
        self.assertRegex(page.locator(".steps").inner_text(), r"Check every claim[\s\S]*\d s|\d+ s")
        # The summary is heard: recorded where it leaves the page, and recognized.
        summary = page.locator(".summary").inner_text()
        page.get_by_role("button", name="Listen").click()
        page.locator(".sentence.current").first.wait_for(timeout=LONG)
        self.wait(page, "() => document.querySelector('.summary-part .player') === null", timeout=LONG)
        page.wait_for_timeout(500)
        path = self.rig.speech / "heard-summary.wav"
        self.recording(page, path)
        if self.rig.server.process:
            heard = self.rig.server.command("transcribe", str(path))
            self.assertLess(word_errors(summary, heard), 0.4, f"{summary!r} was heard as {heard!r}")
        report = page.evaluate("sotto.speech()")
        self.assertGreater(report["pieces"], 0)
        self.assertEqual([gap for gap in report["gaps"] if not gap["isDry"] and abs(gap["seconds"]) > 0.02], [])


class Watching(AgentsTest):
    def test_a_reload_in_the_middle_and_a_second_tab_lose_nothing(self):
        page = self.open("agents")
        job = self.send(page, "Which tool runs scheduled tasks on computers that are not turned on all the time?")
        page.locator(".progress-part").wait_for()
        page.reload()
        page.locator(".pane-agent").wait_for()
        other = page.context.new_page()
        self.watch(other)
        other.goto("/#/agents")
        other.locator(f'[data-job="{job}"]').wait_for()
        self.done(page)
        # Both tabs tell the same, and the second was told by the live connection alone.
        other.locator(f'[data-job="{job}"] .dot.done, [data-job="{job}"] .dot.short').wait_for()
        page.locator(".steps .step.done").first.wait_for()

    def test_a_restart_of_the_server_in_the_middle_loses_nothing(self):
        self.needs_own_server()
        self.expected = ["WebSocket connection", "Failed to load resource", "ERR_", "net::"]
        page = self.open("agents")
        job = self.send(page, "Which daemon runs commands at a given hour, every day?")
        page.locator(".progress-part").wait_for()
        self.rig.server.stop(kill=True)
        page.get_by_text("Sotto is away.").wait_for()
        self.rig.server.start()
        page.get_by_text("Sotto is away.").wait_for(state="detached", timeout=60_000)
        self.done(page)
        state = self.rig.api("GET", f"/api/agents/{job}")["job"]["state"]
        self.assertEqual(state, "completed")

    def test_a_notice_tells_the_end_in_another_room(self):
        page = self.open("agents")
        job = self.send(page, "Which file lists the filesystems with quotas?")
        page.goto("/#/speak")
        toast = page.locator(".toast", has_text="Which file lists")
        toast.wait_for(timeout=LONG)
        self.assertEqual(toast.count(), 1)
        toast.get_by_role("button", name="Open").click()
        self.wait(page, "(job) => location.hash === `#/agents/${job}`", job)

    def test_cancel_retry_and_delete(self):
        page = self.open("agents")
        job = self.send(page, "What does the at command do, and how is a job removed again?")
        page.get_by_role("button", name="Cancel").click()
        page.locator(".standing", has_text="Cancelled").wait_for()
        page.get_by_role("button", name="Retry").click()
        page.locator(".standing", has_text=re.compile("Queued|Running")).wait_for()
        page.get_by_role("button", name="Cancel").click()
        page.locator(".standing", has_text="Cancelled").wait_for()
        page.get_by_role("button", name="More", exact=True).click()
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        page.get_by_role("dialog", name="Delete this question?").get_by_role("button", name="Delete").click()
        self.wait(page, "() => location.hash === '#/agents'")
        self.assertEqual(page.locator(f'[data-job="{job}"]').count(), 0)


class Working(AgentsTest):
    viewport = DESKTOP

    def test_with_the_keyboard_alone(self):
        done = self.ask(QUESTION)
        page = self.open("agents")
        page.locator(f'[data-job="{done["id"]}"]').wait_for()
        page.keyboard.press("j")
        self.wait(page, "() => document.activeElement.classList.contains('job-row')")
        while page.evaluate("document.activeElement.dataset.job") != str(done["id"]):
            page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Findings").wait_for()
        isAnswered = "Done" in page.locator(".standing").inner_text()
        opener = f"document.activeElement.classList.contains('{'citation' if isAnswered else 'source-row'}')"
        for _ in range(200):
            if page.evaluate(opener):
                break
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.get_by_role("dialog").locator(".passage").first.wait_for()
        page.keyboard.press("Escape")
        self.assertTrue(page.evaluate(opener), "the focus did not come back to where the passage was opened")
        with page.expect_download() as download:
            page.get_by_role("button", name="More", exact=True).press("Enter")
            page.get_by_role("link", name="Save as Markdown").press("Enter")
        text = open(download.value.path(), encoding="utf-8").read()
        self.assertIn("edquota" if isAnswered else QUESTION, text)

    def test_drafts_stay_and_are_shared(self):
        page = self.open("agents")
        page.get_by_role("textbox", name="Question", exact=True).fill("Half a question")
        other = page.context.new_page()
        self.watch(other)
        other.goto("/#/agents")
        other.wait_for_selector("nav.bar")
        self.assertEqual(other.get_by_role("textbox", name="Question", exact=True).input_value(), "Half a question")
        page.reload()
        page.wait_for_selector("nav.bar")
        self.assertEqual(page.get_by_role("textbox", name="Question", exact=True).input_value(), "Half a question")

    def test_schedules_and_search(self):
        page = self.open("agents")
        page.get_by_role("button", name="Options").first.click()
        page.get_by_label("Again and again").check(force=True)
        page.get_by_label("Repeat").select_option("weekday at")
        field = page.get_by_role("textbox", name="Question", exact=True)
        field.fill("What is new in the handbook?")
        page.get_by_role("button", name="Keep this schedule").click()
        page.locator("summary", has_text="schedule").click()
        row = page.locator(".schedule-row", has_text="What is new in the handbook?")
        row.wait_for()
        row.get_by_role("button").click()
        page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        row.wait_for(state="detached")
        self.ask(QUESTION)
        page.keyboard.press("/")
        page.get_by_role("searchbox", name="Search the agents").fill("no such words anywhere")
        page.get_by_text("Nothing matches").wait_for()
        page.get_by_role("searchbox", name="Search the agents").fill("QUOTA")
        page.locator("a.job-row", has_text="quota").first.wait_for()


if __name__ == "__main__":
    unittest.main()

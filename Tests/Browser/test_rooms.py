"""My Voice, the library and the settings."""

import pathlib
import re
import tempfile
import unittest

from harness import DESKTOP, LONG, PATIENCE, BrowserTest


class MyVoice(BrowserTest):
    viewport = DESKTOP

    def test_a_voice_from_a_sample_with_consent_compared_and_deleted(self):
        if self.rig.state is None:
            self.rig.sign_in()
        voices = self.rig.api("GET", "/api/voices")
        if not voices["canClone"]:
            self.skipTest(f"cloning needs {voices['missing']}")
        for old in voices["cloned"]:
            self.rig.api("DELETE", f"/api/voices/{old['name']}")
        sample = self.rig.say("sample", voices["sentence"], rest=0.5)
        page = self.open("voice", microphone=sample)
        page.get_by_role("link", name="New voice").click()
        page.get_by_role("button", name="Go on").click()
        page.get_by_text("Give the voice a name.").wait_for()
        page.get_by_label("Name").fill("browser-test")
        page.get_by_role("button", name="Go on").click()
        self.assertEqual(page.locator(".read-aloud").inner_text(), voices["sentence"])
        # Too short: told so, and not let through.
        page.get_by_role("button", name="Record", exact=True).click()
        page.get_by_role("meter").wait_for()
        page.wait_for_timeout(2500)
        page.get_by_role("button", name="Stop", exact=True).click()
        page.locator(".faults li").first.wait_for(timeout=LONG)
        self.assertEqual(page.get_by_role("button", name="Use this sample").count(), 0)
        # Then the file, which is the whole of it.
        page.locator(".step-body input[type=file]").set_input_files(str(sample))
        page.get_by_role("button", name="Use this sample").click(timeout=LONG)
        sentence = page.locator(".read-aloud")
        other = "(sample) => { const one = document.querySelector('.read-aloud'); return one && one.textContent !== sample; }"
        self.wait(page, other, voices["sentence"])
        # A stock voice may say the number so that it is misheard; the app then shows another sentence, as it would to a person.
        for _ in range(5):
            words = sentence.inner_text()
            consent = self.rig.say("consent-" + re.sub(r"\W+", "-", words.lower())[-40:], words, rest=0.5)
            page.locator(".step-body input[type=file]").set_input_files(str(consent))
            page.get_by_role("button", name="Make the voice").click()
            page.get_by_text("The voice is here").or_(page.locator(".step-body .failure")).first.wait_for(timeout=LONG)
            if not any("was heard, not" in text for text in page.locator(".step-body .failure").all_inner_texts()):
                break
            self.wait(page, other, words, timeout=LONG)
            again = page.get_by_role("button", name="Record again")
            if again.count() > 0:
                again.click()
        self.assertEqual(page.locator(".step-body .failure").all_inner_texts(), [])
        # Near at once, nearer in the background, side by side with the sample.
        page.locator(".fit-line").wait_for()
        page.get_by_role("button", name="Say the same").click()
        self.wait(page, "() => sotto.speech().pieces > 0", timeout=LONG)
        page.get_by_role("button", name="Stop", exact=True).click()
        self.wait(page, "() => document.querySelector('.compare audio') !== null")
        page.get_by_role("link", name="Show the voice").click()
        with page.expect_download(timeout=LONG) as download:
            page.get_by_role("link", name="Export").click()
        archive = pathlib.Path(tempfile.mkdtemp()) / "again.sottovoice"
        archive.write_bytes(pathlib.Path(download.value.path()).read_bytes())
        page.get_by_role("button", name="Delete").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        page.get_by_text("No voice of your own yet").wait_for()
        page.locator("input[accept='.sottovoice']").set_input_files(str(archive))
        page.get_by_role("link", name="again").wait_for(timeout=LONG)
        self.rig.api("DELETE", "/api/voices/again")
        page.get_by_text("No voice of your own yet").wait_for()


class Library(BrowserTest):
    viewport = DESKTOP

    def test_added_by_path_searched_and_removed(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="sotto-documents-"))
        (folder / "harbour.md").write_text("# The harbour\n\nThe lighthouse of Brightwater was built in 1871 by Agnes Moorland.\n")
        page = self.open("library")
        page.get_by_role("button", name="Add", exact=True).click()
        page.get_by_label("Folder or file on this machine").fill("/no/such/folder")
        page.get_by_role("button", name="Read it").click()
        self.expected = ["status 4"]
        page.locator(".error-text").first.wait_for()
        page.get_by_label("Folder or file on this machine").fill(str(folder))
        page.get_by_role("button", name="Read it").click()
        row = page.locator(".plain-row", has_text=folder.name)
        row.get_by_text("1 document").wait_for(timeout=LONG)
        page.get_by_role("searchbox", name="Search the library").fill("lighthouse")
        hit = page.locator(".hits .passage").first
        hit.wait_for(timeout=LONG)
        self.assertIn("Agnes Moorland", hit.inner_text())
        self.assertEqual(hit.locator("mark").first.inner_text().lower(), "lighthouse")
        row.get_by_role("button", name="Take").click()
        page.get_by_role("dialog").get_by_role("button", name="Take out").click()
        row.wait_for(state="detached")
        self.assertTrue((folder / "harbour.md").exists())

    def test_documents_are_sent(self):
        page = self.open("library")
        folder = pathlib.Path(tempfile.mkdtemp())
        for name in ("one", "two"):
            (folder / f"sent-{name}.md").write_text(f"# Sent {name}\n\nThe word of document {name} is zanzibar{name}.\n")
        page.locator(".slot-list input[type=file]").set_input_files([str(folder / "sent-one.md"), str(folder / "sent-two.md")])
        self.expected = ["status 409"]
        nothing_moves = "() => !document.querySelector('[aria-label=\"Being sent\"]') && document.querySelectorAll('.progress').length === 0"
        self.wait(page, nothing_moves, timeout=LONG)
        for name in ("one", "two"):
            page.get_by_role("searchbox", name="Search the library").fill(f"zanzibar{name}")
            page.locator(".hits .passage", has_text=f"zanzibar{name}").first.wait_for(timeout=LONG)


class Settings(BrowserTest):
    viewport = DESKTOP

    def test_a_switch_is_kept_and_another_tab_follows(self):
        page = self.open("settings/sound")
        other = page.context.new_page()
        self.watch(other)
        other.goto("/#/settings/sound")
        switch = page.get_by_role("switch", name="Write numbers in digits")
        other.get_by_role("switch", name="Write numbers in digits").wait_for()
        before = switch.is_checked()
        switch.click()
        self.wait(other, "(before) => document.querySelector('#setting-digits').checked !== before", before)
        page.reload()
        self.wait(page, "(before) => document.querySelector('#setting-digits')?.checked === !before", before)
        page.get_by_role("switch", name="Write numbers in digits").click()

    def test_a_wrong_value_is_refused_with_words_beside_it(self):
        self.expected = ["status 4"]
        page = self.open("settings/research")
        field = page.get_by_label("Region of results")
        field.fill("Germany")
        field.press("Tab")
        self.assertIn("two letters", page.locator("#setting-region-error").inner_text())

    def test_a_stale_page_overwrites_nothing(self):
        self.expected = ["status 409"]
        page = self.open("settings/research")
        page.get_by_label("Region of results").wait_for()
        # This tab hears of nothing more.
        page.route("**/api/settings", lambda route: route.continue_() if route.request.method == "PATCH" else route.fulfill(json=stale))
        stale = self.rig.api("GET", "/api/settings")
        self.rig.api("PATCH", "/api/settings", {"revision": stale["revision"], "values": {"region": "FR"}})
        page.unroute("**/api/settings")
        page.get_by_label("Region of results").fill("IT")
        page.get_by_label("Region of results").press("Tab")
        page.wait_for_timeout(1000)
        value = next(one["value"] for one in self.rig.api("GET", "/api/settings")["settings"] if one["key"] == "region")
        # Either the page had heard of it and the person overwrote it knowingly, or it was refused.
        shown = page.get_by_label("Region of results").input_value()
        self.assertEqual(shown, value)
        revision = self.rig.api("GET", "/api/settings")["revision"]
        self.rig.api("PATCH", "/api/settings", {"revision": revision, "values": {"region": ""}})

    def test_the_microphone_test_moves_its_meter(self):
        page = self.open("settings/sound")
        page.get_by_role("button", name="Test the microphone").click()
        self.wait(page, "() => Number(document.querySelector('.test-row .meter')?.getAttribute('aria-valuenow')) > -60")
        page.get_by_role("button", name="Stop").click()
        page.get_by_role("button", name="Test the microphone").wait_for()

    def test_models_ledger_devices_and_about_show_what_the_server_says(self):
        page = self.open("settings/models")
        page.get_by_text("Moonshine").first.wait_for()
        page.goto("/#/settings/privacy")
        page.locator(".sums").wait_for()
        page.goto("/#/settings/devices")
        page.get_by_text("this browser").wait_for()
        page.goto("/#/settings/about")
        version = self.rig.api("GET", "/version")["version"]
        page.get_by_text(version).first.wait_for()

    def test_a_model_is_checked_and_tells_how_it_goes(self):
        page = self.open("settings/models")
        row = page.locator(".plain-row", has_text="Silero")
        row.get_by_role("button", name="Check").click()
        self.wait(page, "() => [...document.querySelectorAll('[role=status]')].some((one) => /silero-vad is here/.test(one.textContent))", timeout=LONG)
        row.get_by_role("button", name="Check").wait_for()

    def test_the_self_test_asks_each_provider(self):
        # What they answer depends on the network; that each is named with its cause does not.
        page = self.open("settings/research")
        page.get_by_role("switch", name="Search the web for questions").click()
        page.get_by_role("button", name="Test the providers").click()
        page.get_by_role("list", name="Result of the test").wait_for(timeout=LONG)
        self.assertGreater(page.get_by_role("list", name="Result of the test").locator("li").count(), 0)
        page.get_by_role("switch", name="Search the web for questions").click()

    def test_erasing_wants_the_word(self):
        page = self.open("settings/storage")
        page.locator(".plain-row input[type=checkbox]").first.check()
        page.get_by_role("button", name=re.compile("Erase 1 part")).click()
        action = page.get_by_role("dialog").get_by_role("button", name="Erase", exact=True)
        self.assertTrue(action.is_disabled())
        page.get_by_label("Type “erase” to go on").fill("erase")
        self.assertTrue(action.is_enabled())
        page.keyboard.press("Escape")


class Devices(BrowserTest):
    viewport = DESKTOP

    def setUp(self):
        super().setUp()
        self.needs_own_server()
        self.restart("on")
        self.addCleanup(self.restart, "off")

    def restart(self, lan):
        self.rig.server.command("settings", "set", "lan", lan)
        self.rig.server.stop()
        self.rig.server.start()

    def test_another_device_is_paired_over_encryption_and_signed_out(self):
        page = self.open("settings/devices")
        pair = page.get_by_role("button", name="Pair a device")
        page.get_by_text("this browser").wait_for()
        if pair.count() == 0:
            self.skipTest("this machine has no address in a network")
        pair.click()
        page.locator(".qr").wait_for()
        self.wait(page, "() => document.querySelector('.qr').naturalWidth > 0")
        address = page.locator(".pair-sheet .path.center").inner_text()
        self.assertTrue(address.startswith("https://"), address)
        page.keyboard.press("Escape")
        # The certificate is this installation's own; a person compares its fingerprint.
        other = self.rig.browser().new_context(ignore_https_errors=True, service_workers="block").new_page()
        self.addCleanup(other.context.close)
        other.goto(address)
        other.wait_for_selector("nav.bar", timeout=PATIENCE)
        self.wait(other, "() => sotto.live().state === 'open'")
        self.assertTrue(other.evaluate("isSecureContext"), "there would be no microphone")
        # Other tests may have left browsers of their own; the one that was seen last is the new one.
        others = "() => [...document.querySelectorAll('.plain-row')].filter(row => !row.textContent.includes('this browser')).length"
        known = len(self.rig.api("GET", "/api/devices")["devices"]) - 1
        self.wait(page, f"count => ({others})() === count", known)
        page.locator(".plain-row").filter(has_not_text="this browser").first.get_by_role("button").click()
        page.get_by_role("dialog").get_by_role("button", name="Sign out").click()
        self.wait(page, f"count => ({others})() === count", known - 1)
        other.reload()
        other.get_by_role("heading", name="This browser is not signed in").wait_for()


if __name__ == "__main__":
    unittest.main()

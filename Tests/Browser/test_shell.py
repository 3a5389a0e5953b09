"""The app around its screens: coming in, going about, looks, keyboard, offline."""

import pathlib
import re
import unittest

from harness import DESKTOP, PHONE, ROOT, SMALL_PHONE, TABLET, BrowserTest

ROUTES = [
    "agents", "transcribe", "transcribe/takes", "speak", "voice", "voice/new", "library", "library/search", "settings", "settings/research",
    "settings/models", "settings/sound", "settings/appearance", "settings/privacy", "settings/devices", "settings/storage", "settings/about",
]


class Logic(BrowserTest):
    def test_pure_parts(self):
        # The browser says so of each handler and style that it throws away, and they must not be run.
        self.expected = ["inline event handler violates", "inline style violates", "Applying inline style", "base URI"]
        page = self.open("agents")
        page.evaluate("(() => {" + (pathlib.Path(__file__).parent / "logic.mjs").read_text() + "})()")
        result = page.evaluate("logic()")
        self.assertEqual(result["failures"], [])
        self.assertGreater(result["count"], 20)


class ComingIn(BrowserTest):
    def test_a_code_is_used_once_and_does_not_stay_in_the_address(self):
        self.expected = ["status 401"]
        page = self.open("agents")
        self.assertEqual(page.evaluate("location.hash"), "#/agents")
        stranger = self.open(None, signed_in=False)
        stranger.goto(f"/#code={self.rig.server.code}")
        stranger.get_by_role("heading", name="This browser is not signed in").wait_for()
        self.assertNotIn("code=", stranger.evaluate("location.href"))

    def test_who_is_not_signed_in_is_told_how_to_come_in(self):
        self.expected = ["status 401"]
        page = self.open("settings/privacy", signed_in=False)
        page.get_by_role("heading", name="This browser is not signed in").wait_for()
        self.assertIn("sotto serve", page.inner_text("main"))
        page.get_by_label("Code").fill("wrong")
        page.get_by_role("button", name="Sign in").click()
        page.locator("#code-error").wait_for()
        self.assertGreater(len(page.inner_text("#code-error")), 10)

    def test_the_shell_list_of_the_service_worker_is_complete(self):
        listed = set(re.findall(r'"(/[^"]*)"', (ROOT / "Web/sw.js").read_text().split("];")[0]))
        files = [path for path in (ROOT / "Web").rglob("*") if path.is_file() and path.name not in ("sw.js", "index.html", "openapi.json")]
        self.assertEqual(listed, {"/" + str(path.relative_to(ROOT / "Web")) for path in files} | {"/"})


class Looks(BrowserTest):
    def test_nothing_is_wider_than_the_screen(self):
        for viewport in (SMALL_PHONE, PHONE, TABLET, DESKTOP):
            page = self.open("agents", viewport=viewport)
            for route in ROUTES:
                page.goto(f"/#/{route}")
                page.wait_for_timeout(150)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), viewport["width"], f"{route} at {viewport}")
                beyond = page.evaluate("""(width) => [...document.querySelectorAll('button, a, input, select, h2')].filter((one) => {
                    const box = one.getBoundingClientRect();
                    return box.width > 0 && (box.right > width + 1 || box.left < -1) && !one.closest('.visually-hidden');
                }).map((one) => one.outerHTML.slice(0, 120))""", viewport["width"])
                self.assertEqual(beyond, [], f"{route} at {viewport}")
                # Panes scroll, the page never: heads and feet stay where they are.
                below = page.evaluate("""(height) => [...document.querySelectorAll('.pane-head, .pane-foot, nav.bar, .main')].filter((one) => {
                    const box = one.getBoundingClientRect();
                    return box.height > 0 && (box.bottom > height + 1 || box.top < -1);
                }).map((one) => one.className)""", viewport["height"])
                self.assertEqual(below, [], f"{route} at {viewport}")
            page.context.close()

    def test_large_text_still_fits(self):
        page = self.open("settings/appearance")
        page.get_by_label("Largest").check(force=True)
        self.assertEqual(page.evaluate("getComputedStyle(document.documentElement).fontSize"), "25.6px")
        for route in ROUTES:
            page.goto(f"/#/{route}")
            page.wait_for_timeout(100)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), PHONE["width"], route)

    def test_a_desktop_has_two_panes_and_a_phone_one(self):
        page = self.open("settings/appearance", viewport=DESKTOP)
        self.assertTrue(page.get_by_role("heading", name="Settings", level=2).is_visible())
        self.assertTrue(page.get_by_role("heading", name="Appearance").is_visible())
        page.set_viewport_size(PHONE)
        self.assertFalse(page.get_by_role("heading", name="Settings", level=2).is_visible())
        page.get_by_role("button", name="Back").click()
        self.assertTrue(page.get_by_role("heading", name="Settings", level=2).is_visible())

    def test_dark_and_light_by_choice_survive_a_reload(self):
        page = self.open("settings/appearance", color_scheme="light")
        ground = "getComputedStyle(document.body).backgroundColor"
        self.assertEqual(page.evaluate(ground), "rgb(255, 255, 255)")
        page.get_by_label("Dark", exact=True).check(force=True)
        self.assertEqual(page.evaluate(ground), "rgb(17, 18, 19)")
        page.reload()
        page.wait_for_selector("nav.bar")
        self.assertEqual(page.evaluate(ground), "rgb(17, 18, 19)")

    def test_motion_stops_when_it_is_not_wanted(self):
        page = self.open("agents", reduced_motion="reduce")
        moving = page.evaluate("""() => {
            const probe = document.body.appendChild(document.createElement('span'));
            probe.className = 'spinner';
            const style = getComputedStyle(probe);
            return [style.animationIterationCount, parseFloat(style.animationDuration) < 0.001];
        }""")
        self.assertEqual(moving, ["1", True])


class Keyboard(BrowserTest):
    viewport = DESKTOP

    def test_rooms_help_and_escape(self):
        page = self.open("agents")
        for key, title in (("t", "Transcribe"), ("s", "Speak"), ("v", "My Voice"), ("l", "Library"), (",", "Settings"), ("a", "Agents")):
            page.keyboard.press("g")
            page.keyboard.press(key)
            page.get_by_role("heading", name=title, level=2).first.wait_for()
            page.evaluate("document.activeElement.blur()")
        page.get_by_role("link", name="Agents").focus()
        page.keyboard.press("?")
        sheet = page.get_by_role("dialog", name="Keys")
        sheet.wait_for()
        for _ in range(6):
            page.keyboard.press("Tab")
            inside = page.evaluate("document.activeElement === document.body || document.querySelector('dialog').contains(document.activeElement)")
            self.assertTrue(inside, "the focus left an open sheet")
        page.keyboard.press("Escape")
        sheet.wait_for(state="detached")
        self.assertEqual(page.evaluate("document.activeElement.textContent.includes('Agents')"), True, "the focus did not come back")

    def test_letters_in_fields_are_letters(self):
        page = self.open("agents")
        page.keyboard.press("n")
        page.keyboard.type("go to settings, please?")
        self.assertEqual(page.get_by_role("textbox", name="Question", exact=True).input_value(), "go to settings, please?")
        self.assertIn("agents", page.url)

    def test_every_control_is_reached_and_shows_it(self):
        page = self.open("settings/research")
        page.get_by_role("switch").first.wait_for()
        page.evaluate("document.activeElement.blur()")
        seen = set()
        for _ in range(80):
            page.keyboard.press("Tab")
            state = page.evaluate("""() => {
                const one = document.activeElement;
                if (one === document.body) return null;
                const target = one.matches('.segment input') ? one.nextElementSibling : one;
                const style = getComputedStyle(target);
                return [one.outerHTML.slice(0, 90), style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0];
            }""")
            if state is None:
                break
            seen.add(state[0])
            self.assertTrue(state[1], f"no visible focus: {state[0]}")
        self.assertGreater(len(seen), 20)


class Away(BrowserTest):
    def test_the_app_opens_and_keeps_questions_while_the_server_is_away(self):
        self.needs_own_server()
        self.expected = ["Failed to load resource", "WebSocket connection", "ERR_", "net::"]
        page = self.open("agents", service_workers="allow")
        page.evaluate("navigator.serviceWorker.ready")
        self.wait(page, "async () => (await (await caches.open((await caches.keys())[0])).keys()).length > 50")
        page.get_by_role("textbox", name="Question", exact=True).fill("A draft that is kept")
        self.rig.server.stop()
        try:
            page.get_by_text("Sotto is away.").wait_for()
            page.reload()
            page.wait_for_selector("nav.bar")
            page.get_by_text("Sotto is away.").wait_for()
            field = page.get_by_role("textbox", name="Question", exact=True)
            self.assertEqual(field.input_value(), "A draft that is kept")
            page.get_by_role("button", name="Send").first.click()
            page.locator(".waiting-row", has_text="A draft that is kept").wait_for()
            page.reload()
            page.locator(".waiting-row", has_text="A draft that is kept").wait_for()
        finally:
            self.rig.server.start()
        page.get_by_text("Sotto is away.").wait_for(state="detached", timeout=60_000)
        page.locator("a.job-row", has_text="A draft that is kept").wait_for(timeout=60_000)
        self.assertEqual(page.locator(".waiting-row").count(), 0)
        jobs = [job for job in self.rig.api("GET", "/api/agents")["jobs"] if job["title"] == "A draft that is kept"]
        self.assertEqual(len(jobs), 1)


if __name__ == "__main__":
    unittest.main()

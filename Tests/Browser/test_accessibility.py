"""Every screen before axe, light and dark, on a phone and a desktop: nothing may be found."""

import unittest

from harness import DESKTOP, PHONE, BrowserTest
from test_shell import ROUTES

try:
    from axe_playwright_python.sync_playwright import Axe
except ImportError:
    Axe = None


@unittest.skipIf(Axe is None, "axe-playwright-python is not installed")
class Accessibility(BrowserTest):
    def check(self, page, name):
        found = Axe().run(page).response["violations"]
        return [f"{name}: {one['id']}: {one['nodes'][0]['html'][:160]}" for one in found]

    def test_all_screens(self):
        if self.rig.state is None:
            self.rig.sign_in()
        done = self.ask("Which command changes the disk quota limits of a user?")
        problems = []
        for size, viewport in (("phone", PHONE), ("desktop", DESKTOP)):
            for scheme in ("light", "dark"):
                page = self.open("agents", viewport=viewport, color_scheme=scheme)
                for route in [*ROUTES, f"agents/{done['id']}"]:
                    page.goto(f"/#/{route}")
                    page.wait_for_timeout(250)
                    problems += self.check(page, f"{size} {scheme} {route}")
                page.goto("/#/agents")
                page.get_by_role("button", name="Options").first.click()
                page.wait_for_timeout(250)
                problems += self.check(page, f"{size} {scheme} options")
                page.keyboard.press("Escape")
                page.evaluate("document.activeElement.blur()")
                page.keyboard.press("?")
                page.wait_for_timeout(400)
                problems += self.check(page, f"{size} {scheme} keys")
                page.context.close()
        self.assertEqual(problems, [])

    def test_sign_in(self):
        self.expected = ["status 401"]
        page = self.open("agents", signed_in=False)
        page.get_by_role("heading").wait_for()
        self.assertEqual(self.check(page, "sign in"), [])


if __name__ == "__main__":
    unittest.main()

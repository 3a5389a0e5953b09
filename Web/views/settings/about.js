import { h } from "../../components/dom.js";
import { button } from "../../components/controls.js";

/**
 * What this is, and everything that is set nowhere else.
 * @param {object} app The app.
 * @param {object} settings The server's settings.
 * @param {() => void} draw Draws anew.
 * @returns {{title: string, body: () => any, show: () => void}} The section.
 */
export function aboutSection(app, settings, draw) {
  let version = null;
  let session = null;

  async function load() {
    try {
      version = await app.client.get("/version");
      session = await app.client.get("/api/session");
    } catch { /* The banner says that the server is away. */ }
    draw();
  }

  return {
    title: "About",
    show: load,
    body: () => [
      h(
        "div", { class: "about" }, h("p", { class: "brand large", "aria-hidden": "true" }, "sotto"),
        h(
          "p", null,
          "A private voice and research agent that runs whole on your own machine. No account, no cloud, nothing asked of anybody but what a "
            + "question needs.",
        ),
      ),
      h(
        "dl", { class: "facts pad" },
        [
          ["Version", version?.version], ["Address", location.host],
          ["Signed in as", session?.device?.name ?? session?.device ?? (session ? "this browser" : null)],
        ].filter(([, value]) => value).map(([name, value]) => [h("dt", null, name), h("dd", null, value)]),
      ),
      settings.others().length > 0 ? [h("h3", { class: "list-title" }, "Everything else"), settings.others()] : null,
      h("div", { class: "more-row" }, button("Sign this browser out", () => app.attempt(() => app.signOut()), { class: "quiet" })),
    ],
  };
}

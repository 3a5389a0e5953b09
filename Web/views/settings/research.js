import { h } from "../../components/dom.js";
import { button, choice } from "../../components/controls.js";
import { icon } from "../../components/icon.js";
import { counted, duration } from "../../state/format.js";

const OUTCOMES = {
  results: ["fine", "Works"], empty: ["fine", "Answers, without results"], unrecognized: ["fault", "Its page is not understood"],
  blocked: ["fault", "Blocks this machine"], rateLimited: ["fault", "Asks to wait"],
  unreachable: ["fault", "Cannot be reached"], misconfigured: ["fault", "Not set up"],
};

/**
 * Whether and how the web is searched.
 * @param {object} app The app.
 * @param {object} settings The server's settings.
 * @param {() => void} draw Draws anew.
 * @returns {{title: string, body: () => any, show: () => void}} The section.
 */
export function researchSection(app, settings, draw) {
  let attempts = null;
  let isChecking = false;
  let error = null;

  async function check() {
    isChecking = true;
    error = null;
    draw();
    try {
      attempts = (await app.client.send("POST", "/api/search/check")).providers;
      app.announce("The providers were asked");
    } catch (failed) {
      error = failed.message;
    }
    isChecking = false;
    draw();
  }

  return {
    title: "Web research",
    show: () => {},
    body: () => [
      settings.problem(),
      settings.control("research"), settings.control("offline"),
      choice({
        id: "default-mode", label: "Depth", note: "For new questions of this browser; each question can choose for itself",
        value: app.preferences.get("mode", "balanced"),
        options: [{ value: "quick", label: "Quick" }, { value: "balanced", label: "Balanced" }, { value: "deep", label: "Deep" }],
        onchange: (mode) => { app.preferences.set("mode", mode); draw(); },
      }),
      h("h3", { class: "list-title" }, "Providers"),
      settings.control("searchProviders"), settings.control("region"), settings.control("searxngAddress"), settings.control("kiwixAddress"),
      settings.control("proxy"),
      settings.secrets().map((one) => settings.secret(one, draw)),
      h(
        "div", { class: "more-row" },
        button(
          isChecking ? "Asking each provider…" : "Test the providers", check,
          { class: "primary", disabled: isChecking || settings.isOn("offline") || !settings.isOn("research") },
        ),
      ),
      settings.isThere() && (settings.isOn("offline") || !settings.isOn("research")) ? h(
        "p", { class: "note pad" }, "The test needs the web, which is switched off above.",
      ) : null,
      error ? h("p", { class: "error-text pad", role: "alert" }, error) : null,
      attempts ? h("ul", { class: "rows", "aria-label": "Result of the test" }, attempts.map((attempt) => {
        const [mark, words] = OUTCOMES[attempt.outcome] ?? ["fault", attempt.outcome];
        return h(
          "li", { class: "plain-row", key: attempt.provider }, h("span", { class: `verdict ${mark}` }, icon(mark === "fine" ? "check" : "cross")),
          h("span", { class: "job-text" }, h("span", { class: "job-title" }, attempt.provider),
            h(
              "span", { class: "job-line wrap" },
              [
                words, attempt.hits ? counted(attempt.hits, "result") : "", attempt.seconds ? duration(attempt.seconds) : "", attempt.cause,
                attempt.advice,
              ].filter(Boolean).join(" · "),
            )));
      })) : null,
    ],
  };
}

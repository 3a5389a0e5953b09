import { h } from "../../components/dom.js";
import { button, failure } from "../../components/controls.js";
import { icon } from "../../components/icon.js";

/**
 * What `sotto doctor` finds.
 * @param {object} app The app.
 * @param {object} _settings Not used.
 * @param {() => void} draw Draws anew.
 * @returns {{title: string, body: () => any, show: () => void}} The section.
 */
export function healthSection(app, _settings, draw) {
  let checks = null;
  let error = null;
  let isBusy = false;

  async function load() {
    isBusy = true;
    error = null;
    draw();
    try {
      checks = (await app.client.get("/api/doctor")).checks;
      const bad = checks.filter((check) => check.status !== "ok").length;
      app.announce(bad === 0 ? "All checks passed" : `${bad} checks need attention`);
    } catch (failed) {
      error = failed;
    }
    isBusy = false;
    draw();
  }

  return {
    title: "Health",
    show: () => { if (!checks && !isBusy) load(); },
    body: () => [
      error ? failure(error.message, load) : null,
      isBusy && !checks ? h("p", { class: "loading" }, "Checking every part; the engines run for this, which takes a while…") : null,
      checks ? h(
        "ul", { class: "rows", "aria-label": "Checks" },
        [...checks].sort((one, other) => rank(one) - rank(other)).map((check) => h("li", { key: check.name, class: "plain-row" },
        h(
          "span", { class: `verdict ${check.status === "ok" ? "fine" : check.status === "warning" ? "caution" : "fault"}` },
          icon(check.status === "ok" ? "check" : check.status === "warning" ? "warning" : "cross"),
          h("span", { class: "visually-hidden" }, check.status),
        ),
        h(
          "span", { class: "job-text" }, h("span", { class: "job-title" }, check.name),
          h("span", { class: "job-line wrap" }, [check.detail, check.remedy].filter(Boolean).join(" · ")),
        )))) : null,
      checks ? h("div", { class: "more-row" }, button(isBusy ? "Checking…" : "Check again", load, { class: "primary", disabled: isBusy })) : null,
    ],
  };
}

function rank(check) {
  return { failed: 0, warning: 1, ok: 2 }[check.status] ?? 1;
}

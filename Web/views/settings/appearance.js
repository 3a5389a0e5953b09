import { h } from "../../components/dom.js";
import { button, toggle } from "../../components/controls.js";
import { openHelp } from "../help.js";

/**
 * How the app looks in this browser, and what it may tell.
 * @param {object} app The app.
 * @param {object} _settings Not used.
 * @param {() => void} draw Draws anew.
 * @returns {{title: string, body: () => any, show: () => void}} The section.
 */
export function appearanceSection(app, _settings, draw) {
  let refusal = null;

  function segments(legend, name, value, options) {
    return h(
      "fieldset", { class: "segments pad" }, h("legend", null, legend),
      h("div", { class: "segment-row" }, options.map(([key, label]) => h("label", { class: "segment", key },
      h("input", {
        type: "radio", name, value: key, checked: key === value, onchange: () => {
          app.preferences.set(name, key);
          app.showAppearance();
          draw();
        },
      }), h("span", null, label)))));
  }

  async function notifications(isOn) {
    refusal = null;
    if (isOn && !globalThis.Notification) refusal = "This browser shows no notifications to pages.";
    else if (
      isOn && (await Notification.requestPermission()) !== "granted"
    ) refusal = "The browser did not allow it; the site's settings beside the address can.";
    app.preferences.set("notifications", isOn && !refusal);
    draw();
  }

  return {
    title: "Appearance",
    show: () => {},
    body: () => [
      segments(
        "Theme", "appearance", app.preferences.get("appearance", "system"), [["system", "As the system"], ["light", "Light"], ["dark", "Dark"]],
      ),
      segments(
        "Text size", "textSize", app.preferences.get("textSize", "100"),
        [["90", "Small"], ["100", "Normal"], ["115", "Large"], ["135", "Larger"], ["160", "Largest"]],
      ),
      toggle(
        {
          id: "notifications", label: "Notifications", note: "When a question is done and this page is not in front",
          checked: app.preferences.get("notifications", false) && globalThis.Notification?.permission === "granted", onchange: notifications,
        }
      ),
      refusal ? h("p", { class: "error-text pad", role: "alert" }, refusal) : null,
      toggle(
        {
          id: "single-keys", label: "Single-key shortcuts", note: "Letters that work outside of fields",
          checked: app.preferences.get("shortcuts", true), onchange: (isOn) => { app.preferences.set("shortcuts", isOn); draw(); }
        }
      ),
      h("div", { class: "more-row" }, button("Show the keys", openHelp, { class: "quiet" })),
    ],
  };
}

import { create, drawing, h, render } from "../components/dom.js";
import { emptyState } from "../components/controls.js";
import { icon } from "../components/icon.js";
import { pane, panes } from "../components/panes.js";
import { route } from "../app/router.js";
import { aboutSection } from "./settings/about.js";
import { appearanceSection } from "./settings/appearance.js";
import { devicesSection } from "./settings/devices.js";
import { healthSection } from "./settings/health.js";
import { modelsSection } from "./settings/models.js";
import { privacySection } from "./settings/privacy.js";
import { researchSection } from "./settings/research.js";
import { createServerSettings } from "./settings/server-settings.js";
import { soundSection } from "./settings/sound.js";
import { storageSection } from "./settings/storage.js";

const SECTIONS = [
  ["research", researchSection, "Switches, providers, depth, test"], ["models", modelsSection, "What hears, speaks, reads and writes"],
  ["sound", soundSection, "Microphone, speaker, voice, language"],
  ["appearance", appearanceSection, "Light or dark, text size, notifications, keys"],
  ["privacy", privacySection, "Every request that left this machine"], ["devices", devicesSection, "Who may come in; pairing"],
  ["storage", storageSection, "What is kept, export, erase"], ["health", healthSection, "Whether every part works"],
  ["about", aboutSection, "Version and everything else"],
];

/**
 * Settings, section by section.
 * @param {object} app The app.
 * @returns {object} The view.
 */
export function createSettingsView(app) {
  const element = create(h("div", { class: "view" }));
  let selected = null;
  let isVisible = false;
  let draw = () => {
    const section = sections.get(selected);
    const list = pane({
      name: "settings", title: "Settings",
      body: h(
        "ul", { class: "rows", "aria-label": "Sections of the settings" },
        SECTIONS.map(
          ([id, , note]) => h(
            "li", { key: id }, h("a", { class: "job-row", href: route("settings", id), "aria-current": selected === id ? "true" : undefined },
        h("span", { class: "job-text" }, h("span", { class: "job-title" }, sections.get(id).title), h("span", { class: "job-line" }, note)),
        icon("right", "row-mark"))))),
    });
    const right = section
      ? pane(
        {
          name: `settings-${selected}`, title: section.title, back: () => app.go("settings"),
          body: h("div", { class: "settings-body" }, section.body()),
        }
      )
      : h("section", { class: "pane pane-blank", key: "blank" }, h("div", { class: "pane-body" }, emptyState("Nothing chosen", "Choose a section.")));
    render(element, panes(list, right, section !== undefined));
  };
  draw = drawing(draw);
  const settings = createServerSettings(app, () => draw());
  const sections = new Map(SECTIONS.map(([id, make]) => [id, make(app, settings, () => draw())]));
  app.on("settings", () => { if (isVisible) settings.load(); });
  app.on("reset", () => { if (isVisible) settings.load(); });
  app.on("online", () => { if (isVisible) settings.load(); });

  return {
    element,
    title: () => sections.get(selected)?.title,
    show(path) {
      isVisible = true;
      const before = selected;
      selected = sections.has(path[0]) ? path[0] : null;
      if (before !== selected) sections.get(before)?.hide?.();
      settings.load();
      sections.get(selected)?.show(path.slice(1));
      draw();
    },
    hide() {
      isVisible = false;
      sections.get(selected)?.hide?.();
    },
    escape() {
      if (selected) app.go("settings");
    },
  };
}

import { h } from "../../components/dom.js";
import { button, failure } from "../../components/controls.js";
import { confirmed } from "../../components/dialog.js";
import { icon } from "../../components/icon.js";
import { bytes, counted } from "../../state/format.js";

/**
 * What Sotto keeps, how long, and how to take it along or erase it.
 * @param {object} app The app.
 * @param {object} settings The server's settings.
 * @param {() => void} draw Draws anew.
 * @returns {{title: string, body: () => any, show: () => void}} The section.
 */
export function storageSection(app, settings, draw) {
  let answer = null;
  let error = null;
  const chosen = new Set();
  let isErasing = false;

  async function load() {
    try {
      answer = await app.client.get("/api/data");
      error = null;
    } catch (failed) {
      error = failed;
    }
    draw();
  }

  async function erase() {
    const names = answer.parts.filter((part) => chosen.has(part.id)).map((part) => part.name);
    if (!await confirmed({ title: "Erase this?", text: `${names.join(", ")}. This cannot be taken back.`, action: "Erase", word: "erase" })) return;
    isErasing = true;
    draw();
    const { value } = await app.attempt(
      () => app.client.send("POST", "/api/data/erase", { parts: [...chosen], confirm: "erase" }), { failed: "It was not erased." },
    );
    isErasing = false;
    if (value) {
      answer = value;
      chosen.clear();
      app.toast(value.left?.length > 0 ? { kind: "error", text: `Some could not be erased: ${value.left.join("; ")}` } : { text: "Erased." });
      app.loadJobs();
    }
    draw();
  }

  return {
    title: "Storage",
    show: load,
    body() {
      if (error && !answer) return failure(error.message, load);
      if (!answer) return h("p", { class: "loading" }, "Loading…");
      const total = answer.parts.reduce((sum, part) => sum + part.bytes, 0);
      return [
        h(
          "p", { class: "note pad" }, `${bytes(total)} used, ${bytes(answer.freeBytes)} free. All of it is in `,
          h("span", { class: "path" }, answer.folder), ".",
        ),
        h("ul", { class: "rows", "aria-label": "What is kept" }, answer.parts.map((part) => {
          const id = `part-${part.id}`;
          return h("li", { key: part.id, class: "plain-row" },
            part.canErase ? h(
              "input",
              {
                type: "checkbox", id, class: "check", checked: chosen.has(part.id),
                onchange: (event) => { if (event.target.checked) chosen.add(part.id); else chosen.delete(part.id); draw(); }
              },
            ) : h("span", { class: "check-space" }),
            h(
              "label", { class: "job-text", for: part.canErase ? id : undefined },
              h("span", { class: "job-title" }, part.name.charAt(0).toUpperCase() + part.name.slice(1)),
              h(
                "span", { class: "job-line" },
                [
                  typeof part.items === "number" ? counted(part.items, "item") : "", part.days ? `kept for ${part.days} days` : "",
                ].filter(Boolean).join(" · "),
              ),
            ),
            h("span", { class: "amount" }, bytes(part.bytes)));
        })),
        h("div", { class: "button-row pad" },
          h("a", { class: "button quiet", href: "/api/data/export", download: "" }, icon("download"), h("span", null, "Export all")),
          button(
            isErasing ? "Erasing…" : chosen.size > 0 ? `Erase ${counted(chosen.size, "part")}…` : "Erase…", erase,
            { class: "danger", disabled: chosen.size === 0 || isErasing },
          )),
        h("h3", { class: "list-title" }, "How long"),
        settings.control("takeDays"), settings.control("pageCacheDays"),
      ];
    },
  };
}

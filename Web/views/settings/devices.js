import { h } from "../../components/dom.js";
import { button, failure } from "../../components/controls.js";
import { confirmed, openSheet } from "../../components/dialog.js";
import { copyText } from "../../components/files.js";
import { moment } from "../../state/format.js";

/**
 * The devices that may come in, and how to let another one.
 * @param {object} app The app.
 * @param {object} settings The server's settings.
 * @param {() => void} draw Draws anew.
 * @returns {{title: string, body: () => any, show: () => void}} The section.
 */
export function devicesSection(app, settings, draw) {
  let answer = null;
  let error = null;

  async function load() {
    try {
      answer = await app.client.get("/api/devices");
      error = null;
    } catch (failed) {
      error = failed;
    }
    draw();
  }
  app.on("devices", () => { if (answer) load(); });

  async function pair() {
    const { value } = await app.attempt(() => app.client.send("POST", "/api/devices/pairing"), { failed: "No code was made." });
    if (!value) return;
    const address = URL.createObjectURL(new Blob([value.qr], { type: "image/svg+xml" }));
    const ends = Date.parse(value.expires);
    const facts = () => {
      const left = Math.max(0, Math.round((ends - Date.now()) / 1000));
      return {
        title: "Pair a device", kind: "dialog pair-sheet",
        body: left > 0 ? [
          h("p", null, "Scan this with the other device. It works once."),
          h("img", { class: "qr", src: address, alt: "QR code of the address below", width: "240", height: "240" }),
          h("p", { class: "path center" }, value.url),
          h("p", { class: "center" }, "Code: ", h("code", { class: "pair-code" }, value.code)),
          h("p", { class: "note center", role: "timer" }, `Valid for ${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`),
          (value.fingerprint ?? answer?.fingerprint) ? h(
            "p", { class: "note" }, "The browser there will ask about the certificate. Compare its SHA-256 fingerprint: ",
            h("span", { class: "path" }, value.fingerprint ?? answer.fingerprint),
          ) : null,
        ] : h("p", null, "The code is no longer valid."),
        actions: [
          left > 0 ? button("Copy the address", () => copyText(app, value.url), { class: "quiet" }) : button(
            "Make another", () => { sheet.close(); pair(); }, { class: "primary" },
          ),
        ],
      };
    };
    const sheet = openSheet(facts());
    const timer = setInterval(() => sheet.update(facts()), 1000);
    sheet.closed.then(() => {
      clearInterval(timer);
      URL.revokeObjectURL(address);
      load();
    });
  }

  async function revoke(device) {
    if (
      !await confirmed(
        {
          title: `Sign ${device.name} out?`,
          text: device.current ? "This is the browser you are using now." : "It can come in again only with a new code.", action: "Sign out",
        }
      )
    ) return;
    if (device.current) {
      await app.attempt(() => app.signOut());
      return;
    }
    await app.attempt(() => app.client.send("DELETE", `/api/devices/${encodeURIComponent(device.id)}`), { failed: "It is still signed in." });
    load();
  }

  return {
    title: "Devices",
    show: load,
    body() {
      if (error && !answer) return failure(error.message, load);
      if (!answer) return h("p", { class: "loading" }, "Loading…");
      return [
        h(
          "p", { class: "note pad" },
          answer.beyondLoopback ? "Other devices of your network can come in, over TLS, once they are paired."
            : "Sotto answers only on this machine. To let a phone in, switch this on and start “sotto serve” anew.",
        ),
        settings.control("lan"),
        answer.beyondLoopback && answer.addresses?.length ? h(
          "dl", { class: "facts pad" }, h("dt", null, "Addresses"), h("dd", { class: "path" }, answer.addresses.join(", ")),
          answer.fingerprint ? [h("dt", null, "Fingerprint"), h("dd", { class: "path" }, answer.fingerprint)] : null,
        ) : null,
        h("ul", { class: "rows", "aria-label": "Devices" }, answer.devices.map((device) => h("li", { key: device.id, class: "plain-row" },
          h(
            "span", { class: "job-text" },
            h("span", { class: "job-title" }, device.name, device.current ? h("span", { class: "chip" }, "this browser") : null),
            h("span", { class: "job-line" }, `since ${moment(device.created)} · last here ${moment(device.lastSeen)}`),
          ),
          button("Sign out", () => revoke(device), { class: "quiet compact", "aria-label": `Sign ${device.name} out` })))),
        answer.beyondLoopback ? h("div", { class: "more-row" }, button("Pair a device", pair, { class: "primary" })) : null,
      ];
    },
  };
}

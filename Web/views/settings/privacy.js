import { h } from "../../components/dom.js";
import { button, emptyState, failure } from "../../components/controls.js";
import { route } from "../../app/router.js";
import { age, bytes, moment } from "../../state/format.js";

/**
 * The ledger: every request that left the machine, and those that were refused.
 * @param {object} app The app.
 * @param {object} settings The server's settings.
 * @param {() => void} draw Draws anew.
 * @returns {{title: string, body: () => any, show: () => void}} The section.
 */
export function privacySection(app, settings, draw) {
  let requests = [];
  let total = null;
  let next = null;
  let error = null;
  let isLoaded = false;
  let job = null;

  async function load(isMore = false) {
    try {
      const answer = await app.client.get("/api/ledger", { limit: 100, before: isMore ? next : undefined, job });
      requests = isMore ? [...requests, ...answer.requests] : answer.requests;
      total = answer.total;
      next = answer.next ?? null;
      error = null;
      isLoaded = true;
    } catch (failed) {
      error = failed;
    }
    draw();
  }

  function row(request, index) {
    const isFine = request.outcome === "answered" || request.outcome === "started";
    const traffic = [
      request.sentBytes ? `${bytes(request.sentBytes)} sent` : "", request.receivedBytes ? `${bytes(request.receivedBytes)} received` : "",
    ].filter(Boolean).join(", ");
    return h("li", { key: request.id ?? `other-${index}`, class: "ledger-row" },
      h("details", null,
        h("summary", null,
          h("span", { class: `dot ${isFine ? "done" : request.outcome === "refused" ? "cancelled" : "failed"}`, "aria-hidden": "true" }),
          h("span", { class: "job-text" }, h("span", { class: "job-title" }, request.host || "–"),
            h(
              "span", { class: "job-line" },
              [
                request.purpose,
                request.outcome === "answered" ? `status ${request.status}` : [request.outcome, request.reason].filter(Boolean).join(": "), traffic,
              ].filter(Boolean).join(" · "),
            )),
          h("time", { class: "job-age", datetime: request.time, title: moment(request.time) }, age(Date.parse(request.time), Date.now()))),
        h(
          "dl", { class: "facts" },
          [
            ["Time", moment(request.time)], ["Address", request.url], ["Method", request.method], ["Led to by", request.origin],
            ["Dialed", request.address ? `${request.address}${request.port ? `, port ${request.port}` : ""}` : null],
            ["Pinned", request.pinned === undefined ? null : request.pinned ? "yes" : "no"],
          ["Job", request.job ? h("a", { href: route("agents", request.job) }, request.job) : null],
        ].filter(([, value]) => value).map(([name, value]) => [h("dt", null, name), h("dd", { class: "path" }, value)]))));
  }

  return {
    title: "Privacy",
    show(parts) {
      job = parts?.[0] ?? null;
      load();
    },
    body: () => [
      h(
        "p", { class: "note pad" },
        "Every request that left this machine is here, entered before anything was opened; those that were refused, too. This app itself asks "
          + "nobody but your own Sotto.",
      ),
      total ? h(
        "dl", { class: "sums" },
        [
          ["Requests", total.requests.toLocaleString("en")], ["Sent", bytes(total.sentBytes)], ["Received", bytes(total.receivedBytes)],
        ].map(([name, value]) => h("div", { key: name }, h("dt", null, name), h("dd", null, value))),
      ) : null,
      error ? failure(error.message, () => load()) : null,
      !isLoaded && !error ? h("p", { class: "loading" }, "Loading…") : null,
      isLoaded && requests.length === 0 ? emptyState("Nothing has left this machine", "") : null,
      requests.length > 0 ? h("ul", { class: "rows", "aria-label": "Requests" }, requests.map(row)) : null,
      next !== null && requests.length > 0 ? h(
        "div", { class: "more-row" }, button("Show earlier ones", () => load(true), { class: "quiet" }),
      ) : null,
      settings.control("ledgerDays"),
    ],
  };
}

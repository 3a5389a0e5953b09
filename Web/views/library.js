import { create, drawing, h, render } from "../components/dom.js";
import { button, emptyState, failure, field, fileButton, iconButton, progress } from "../components/controls.js";
import { confirmed } from "../components/dialog.js";
import { icon } from "../components/icon.js";
import { pane, panes } from "../components/panes.js";
import { counted, moment, placeName } from "../state/format.js";

/** The server takes documents up to this size. */
const LARGEST = 64 * 1024 * 1024;

/**
 * The person's own documents: what is read, and a search in it.
 * @param {object} app The app.
 * @returns {object} The view.
 */
export function createLibraryView(app) {
  const element = create(h("div", { class: "view" }));
  let roots = null;
  let error = null;
  let isAdding = false;
  let addError = null;
  let path = app.drafts.get("library-path");
  let reading = new Map();
  let uploads = [];
  let isSearch = false;
  let query = "";
  let results = null;
  let searchError = null;
  let timer = null;
  let turn = null;
  let asked = 0;

  async function load() {
    try {
      roots = (await app.client.get("/api/library")).roots;
      error = null;
    } catch (failed) {
      error = failed;
    }
    draw();
  }

  async function read(place) {
    addError = null;
    reading.set(place, { text: "Waiting…", fraction: undefined });
    draw();
    try {
      await app.client.send("POST", "/api/library", { path: place });
      app.drafts.set("library-path", "");
      path = "";
      isAdding = false;
    } catch (failed) {
      reading.delete(place);
      addError = failed.message;
      if (!isAdding) app.toast({ kind: "error", text: failed.message });
    }
    draw();
  }

  async function remove(root) {
    if (
      !await confirmed(
        { title: "Take this out of the library?", text: `${root.path}: Sotto forgets what it read. The files themselves stay.`, action: "Take out" }
      )
    ) return;
    const { value } = await app.attempt(
      () => app.client.send("DELETE", `/api/library?path=${encodeURIComponent(root.path)}`), { failed: "It was not taken out." },
    );
    if (!value) return;
    app.toast({ text: `${counted(value.documents, "document")} taken out. The files stay.` });
    load();
  }

  function addFiles(files) {
    for (const file of files) {
      const entry = { name: file.name, file, fraction: 0, error: null, abort: new AbortController() };
      if (file.size > LARGEST) entry.error = "It is larger than 64 MB.";
      uploads = [...uploads.filter((other) => other.name !== file.name), entry];
    }
    pump();
  }

  function forget(entry) {
    entry.abort.abort();
    uploads = uploads.filter((other) => other !== entry);
    draw();
  }

  function stopAdding() {
    isAdding = false;
    addError = null;
    draw();
  }

  async function pump() {
    draw();
    const next = uploads.find((entry) => !entry.error && !entry.isDone && !entry.isSending);
    if (!next || uploads.some((entry) => entry.isSending)) return;
    next.isSending = true;
    try {
      await app.client.upload("PUT", `/api/library/files/${encodeURIComponent(next.name)}`, next.file, {
        headers: { "content-type": "application/octet-stream" }, signal: next.abort.signal,
        progress: (fraction) => {
          next.fraction = fraction;
          draw();
        },
      });
      uploads = uploads.filter((entry) => entry !== next);
      app.announce(`${next.name} is in the library`);
    } catch (failed) {
      if (failed.name === "AbortError") uploads = uploads.filter((entry) => entry !== next);
      else if (failed.code === "busy" || failed.isAway) {
        // It has its turn when the one before is read, or when the server is back.
        next.isSending = false;
        next.fraction = undefined;
        clearTimeout(turn);
        turn = setTimeout(pump, 2000);
        draw();
        return;
      }
      else next.error = failed.message;
    }
    next.isSending = false;
    load();
    pump();
  }

  function typed(text) {
    query = text;
    clearTimeout(timer);
    timer = setTimeout(search, 250);
  }

  async function search() {
    asked += 1;
    const own = asked;
    if (!query.trim()) {
      results = null;
      searchError = null;
      draw();
      return;
    }
    try {
      const answer = await app.client.get("/api/library/search", { query: query.trim(), limit: 20 });
      if (own !== asked) return;
      results = answer.hits;
      searchError = null;
      app.announce(counted(results.length, "passage"));
    } catch (failed) {
      if (own !== asked) return;
      searchError = failed;
    }
    draw();
  }

  function marked(text) {
    const words = query.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
    if (words.length === 0) return text;
    const pattern = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "giu");
    return text.split(pattern).map((piece, index) => (index % 2 ? h("mark", { key: index }, piece) : piece));
  }

  function root(one) {
    const now = reading.get(one.path);
    const read_ = typeof one.lastRead === "number" ? one.lastRead * 1000 : one.lastRead;
    return h("li", { key: one.path, class: "plain-row" },
      icon("folder"),
      h("span", { class: "job-text" },
        h("span", { class: "job-title", title: one.path }, placeName(one.path)),
        h(
          "span", { class: "job-line" },
          now && !now.done ? now.text
            : `${counted(one.documents, "document")}, ${counted(one.passages, "passage")}${read_ ? ` · read ${moment(read_)}` : ""}`,
        ),
        h("span", { class: "job-line path" }, one.path),
        now && !now.done ? progress(`Reading ${one.path}`, now.fraction) : null,
        now?.error ? h("span", { class: "error-text" }, now.error) : null),
      iconButton("retry", `Read ${one.path} again`, () => read(one.path), { disabled: Boolean(now && !now.done) }),
      iconButton("trash", `Take ${one.path} out`, () => remove(one)));
  }

  function listBody() {
    const known = new Set((roots ?? []).map((one) => one.path));
    const arriving = [...reading].filter(([place, state]) => !known.has(place) && !(state.done && !state.error));
    return [
      isAdding ? h("form", {
        class: "add-form", key: "add", onsubmit: (event) => {
          event.preventDefault();
          if (path.trim()) read(path.trim());
        },
      },
      field({
        id: "library-path", label: "Folder or file on this machine", note: "HTML, Markdown, text and PDF are read; the files stay where they are.",
        error: addError,
        props: {
          type: "text", autocapitalize: "none", spellcheck: "false", placeholder: "/home/you/Documents", ref: (node) => { node.value = path; },
          oninput: (event) => { path = event.target.value; app.drafts.set("library-path", path); }
        },
      }),
      h("div", { class: "button-row" }, h("button", { type: "submit", class: "button primary" }, "Read it"),
        button("Cancel", stopAdding, { class: "quiet" }))) : null,
      error && !roots ? failure(error.message, load) : null,
      uploads.length > 0 ? h(
        "ul", { class: "rows", "aria-label": "Being sent", key: "uploads" },
        uploads.map((entry) => h("li", { key: entry.name, class: "plain-row" }, icon("upload"),
        h(
          "span", { class: "job-text" }, h("span", { class: "job-title" }, entry.name),
          entry.error ? h("span", { class: "error-text" }, entry.error) : progress(
            `Sending ${entry.name}`, entry.fraction === 1 ? undefined : entry.fraction,
          ),
        ),
        iconButton("close", `Cancel ${entry.name}`, () => forget(entry))))) : null,
      arriving.length > 0 ? h(
        "ul", { class: "rows", key: "arriving", "aria-label": "Being read" },
        arriving.map(([place, state]) => h("li", { key: place, class: "plain-row" }, icon("folder"),
        h(
          "span", { class: "job-text" }, h("span", { class: "job-title" }, placeName(place)),
          state.error ? h("span", { class: "error-text" }, state.error) : [
            h("span", { class: "job-line" }, state.text), progress(`Reading ${place}`, state.fraction),
          ],
        ),
        state.error ? iconButton("close", "Dismiss", () => { reading.delete(place); draw(); }) : null))) : null,
      roots && roots.length > 0 ? h("ul", { class: "rows", key: "roots", "aria-label": "In the library" }, roots.map(root))
        : roots && arriving.length === 0 && uploads.length === 0 ? emptyState(
          "The library is empty", "Add a folder of this machine, or send documents from this device. Questions are then answered from them, too.",
        )
          : roots ? null : error ? null : h("p", { class: "loading" }, "Loading…"),
    ];
  }

  function searchBody() {
    const parts = [h("div", { class: "search-row", key: "row", role: "search" }, h("input", {
      class: "input", type: "search", id: "library-search", "aria-label": "Search the library", placeholder: "Search the passages",
      oninput: (event) => typed(event.target.value), ref: (node) => { node.value = query; },
    }))];
    if (searchError) parts.push(failure(searchError.message, search));
    else if (results === null) parts.push(emptyState("Search your documents", "By words or by what is meant; whole passages are shown."));
    else if (results.length === 0) parts.push(emptyState("Nothing found", "Other words may help."));
    else {
      parts.push(
        h(
          "div", { class: "hits", key: "hits" },
          results.map((hit, index) => h("article", { class: "passage", key: `${hit.location}-${hit.offset}-${index}` },
        h("h3", null, hit.title || placeName(hit.location)),
        hit.heading && hit.heading !== hit.title ? h("p", { class: "passage-heading" }, hit.heading) : null,
        h("p", { class: "passage-text" }, marked(hit.text)), h("p", { class: "note path" }, hit.location)))));
    }
    return parts;
  }

  function draw() {
    const list = pane({
      name: "library", title: "Library",
      actions: [
        h("a", { class: "icon-button phone-only", href: "#/library/search", "aria-label": "Search the library" }, icon("search")),
        fileButton(
          { label: "Send documents", isIcon: true, multiple: true, accept: ".html,.htm,.md,.txt,.pdf,text/*,application/pdf", onfiles: addFiles }
        ),
        button("Add", () => {
          isAdding = true;
          draw();
          queueMicrotask(() => element.querySelector("#library-path")?.focus());
        }, { class: "primary", picture: "plus", "aria-expanded": String(isAdding) }),
      ],
      body: h("div", {
        class: "drop-zone", ondragover: (event) => event.preventDefault(),
        ondrop: (event) => {
          event.preventDefault();
          addFiles([...event.dataTransfer.files]);
        },
      }, listBody()),
    });
    render(element, panes(list, pane({ name: "library-results", title: "Search", back: () => app.go("library"), body: searchBody() }), isSearch));
  }

  draw = drawing(draw);
  app.on("library", load);
  app.on("reset", load);
  app.on("online", load);
  app.on("library-progress", (state) => {
    reading.set(state.path, state);
    if (state.done) {
      if (state.error) app.announce(`${placeName(state.path)}: ${state.error}`);
      else {
        reading.delete(state.path);
        app.announce(`${placeName(state.path)} is read`);
      }
      load();
      clearTimeout(turn);
      turn = setTimeout(pump, 100);
    }
    draw();
  });

  return {
    element,
    show(parts) {
      isSearch = parts[0] === "search";
      draw();
      load();
      if (isSearch) queueMicrotask(() => element.querySelector("#library-search")?.focus());
    },
    hide() {},
    search() {
      if (!app.isWide()) app.go("library", "search");
      queueMicrotask(() => element.querySelector("#library-search")?.focus());
    },
    escape() {
      if (isSearch) app.go("library");
    },
  };
}

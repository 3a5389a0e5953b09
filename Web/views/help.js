import { h } from "../components/dom.js";
import { openSheet } from "../components/dialog.js";

const KEYS = [
  [
    "Anywhere",
    [
      ["?", "This list"], ["g then a, t, s, v, l or ,", "Agents, Transcribe, Speak, My Voice, Library, Settings"],
      ["F2", "Talk: tap to switch, hold to talk"], ["Escape", "Close a sheet; back to the list"],
    ],
  ],
  [
    "Agents",
    [
      ["n", "Ask a question"], ["/", "Search"], ["j k or ↓ ↑", "The next or the one before in the list"], ["p", "Hear the summary, pause"],
      ["Enter", "Send; Shift+Enter makes a new line"],
    ],
  ],
  ["While it speaks", [["Space", "Pause and go on"]]],
  ["Speak", [["Ctrl+Enter", "Speak the text"]]],
  ["Library", [["/", "Search in the documents"]]],
];

/** Opens the list of shortcuts. */
export function openHelp() {
  openSheet({
    title: "Keys", kind: "dialog help-sheet",
    body: KEYS.map(
      ([title, keys]) => h(
        "section", { key: title }, h("h3", { class: "part-title" }, title),
        h("dl", { class: "keys" }, keys.map(([key, words]) => [h("dt", null, h("kbd", null, key)), h("dd", null, words)])),
      )
    ),
  });
}

import { h } from "./dom.js";

/** What may be shown of a findings' markup; everything else gives its text, and some give nothing. */
const ALLOWED = new Set(
  [
    "p", "ul", "ol", "li", "strong", "em", "b", "i", "code", "pre", "blockquote", "hr", "br", "del", "s", "sup", "sub", "table", "thead", "tbody",
    "tr", "th", "td",
  ]
);
const DROPPED = new Set(
  [
    "script", "style", "iframe", "object", "embed", "template", "svg", "math", "img", "video", "audio", "form", "input", "button", "textarea",
    "select", "link", "meta", "base", "head", "title", "noscript",
  ]
);

/**
 * Reads markup of the server and describes anew what is allowed of it. No node and no attribute of the markup itself comes into the page.
 * @param {string} markup HTML.
 * @param {{level: number, citation: (source: number, context: string, label: string) => object}} rules `level` of the highest heading; `citation`
 * describes a citation.
 * @returns {object[]} Descriptions.
 */
export function findings(markup, { level, citation }) {
  const parsed = new DOMParser().parseFromString(markup, "text/html");
  const highest = Math.min(6, ...[...parsed.querySelectorAll("h1,h2,h3,h4,h5,h6")].map((heading) => Number(heading.localName[1])));
  const children = (node, context) => [...node.childNodes].map((child) => described(child, context)).flat();

  function described(node, context) {
    if (node.nodeType === Node.TEXT_NODE) return { text: node.data };
    if (node.nodeType !== Node.ELEMENT_NODE) return [];
    const tag = node.localName;
    if (DROPPED.has(tag)) return [];
    if (/^h[1-6]$/.test(tag)) return h(`h${Math.min(6, level + Number(tag[1]) - highest)}`, null, children(node, context));
    if (tag === "a") return link(node, context);
    if (!ALLOWED.has(tag)) return children(node, context);
    const within = ["p", "li", "td", "th", "blockquote"].includes(tag) ? node.textContent : context;
    const props = {};
    if (tag === "ol" && /^\d{1,6}$/.test(node.getAttribute("start") ?? "")) props.start = node.getAttribute("start");
    if (tag === "th") props.scope = "col";
    const result = h(tag, props, children(node, within));
    return tag === "table" ? h("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": "Table" }, result) : result;
  }

  function link(node, context) {
    const address = node.getAttribute("href") ?? "";
    const source = Number(node.getAttribute("data-source") ?? /^#source-(\d+)$/.exec(address)?.[1] ?? Number.NaN);
    if (Number.isInteger(source) && source > 0) return citation(source, context, node.textContent);
    const safe = webAddress(address);
    if (!safe) return children(node, context);
    return h("a", { href: safe, target: "_blank", rel: "noopener noreferrer" }, children(node, context));
  }

  return children(parsed.body, "");
}

/**
 * An address of the web, or nothing: neither scripts nor files nor this app's own.
 * @param {string} text As it came.
 * @returns {string|null} The address.
 */
export function webAddress(text) {
  try {
    const address = new URL(text);
    return address.protocol === "https:" || address.protocol === "http:" ? address.href : null;
  } catch {
    return null;
  }
}

/**
 * What is shown is described by plain values, and `render` makes the document agree with them: it touches only what differs,
 * so that focus, selection, scrolling and playing sound survive. Text is always text: nothing here parses markup.
 */

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "path", "circle", "rect", "line", "polyline"]);
/** Set as properties, because the attribute says only how they begin. */
const PROPERTIES = new Set(["value", "checked", "disabled", "selected", "muted", "indeterminate", "open"]);

/**
 * Describes an element.
 * @param {string} tag Name of the element.
 * @param {object|null} [props] Attributes; `on…` handlers; `key` tells siblings apart; `ref` is called with the element once it is made.
 * @param {...any} children Descriptions, text, numbers, lists of them; `null`, `undefined` and `false` are nothing.
 * @returns {object} A description for {@link render} and {@link create}.
 */
export function h(tag, props, ...children) {
  return { tag, props: props ?? {}, key: props?.key, children: flat(children) };
}

/**
 * Describes the place of an element that leads a life of its own; it is moved there and never changed.
 * @param {Element} element The element.
 * @returns {object} A description.
 */
export function slot(element) {
  return { slot: element, key: element };
}

function flat(children) {
  const result = [];
  for (const child of children) {
    if (child === null || child === undefined || child === false || child === true) continue;
    if (Array.isArray(child)) result.push(...flat(child));
    else if (typeof child === "object") result.push(child);
    else result.push({ text: String(child) });
  }
  return result;
}

function put(node, name, value, old) {
  if (name === "key" || name === "ref") return;
  if (name.startsWith("on")) {
    node[name.toLowerCase()] = value ?? null;
  } else if (PROPERTIES.has(name)) {
    // What a person typed stays until the description itself changes.
    if (old !== value) node[name] = value ?? (name === "value" ? "" : false);
  } else if (value === null || value === undefined || value === false) {
    node.removeAttribute(name);
  } else {
    node.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * Makes what a description says.
 * @param {object} description From {@link h} or {@link slot}.
 * @returns {Node} The new node, or the element of the slot.
 */
export function create(description) {
  if (description.slot) return description.slot;
  if (description.text !== undefined) return document.createTextNode(description.text);
  const node = SVG_TAGS.has(description.tag) ? document.createElementNS(SVG, description.tag) : document.createElement(description.tag);
  const { value, ...rest } = description.props;
  for (const [name, setting] of Object.entries(rest)) if (setting !== undefined) put(node, name, setting);
  node.drawn = [];
  reconcile(node, description.children);
  // A choice can only be made once its options are there.
  if (value !== undefined) put(node, "value", value);
  description.props.ref?.(node);
  return node;
}

function agrees(old, next) {
  if (old.slot || next.slot) return old.slot === next.slot;
  return old.tag === next.tag && old.key === next.key;
}

function update(node, old, next) {
  if (next.slot) return;
  if (next.text !== undefined) {
    if (old.text !== next.text) node.data = next.text;
    return;
  }
  for (const name of Object.keys(old.props)) if (!(name in next.props)) put(node, name, undefined, old.props[name]);
  for (const [name, value] of Object.entries(next.props)) {
    if (name !== "value" && (old.props[name] !== value || name.startsWith("on"))) put(node, name, value, old.props[name]);
  }
  reconcile(node, next.children);
  if (old.props.value !== next.props.value) put(node, "value", next.props.value, old.props.value);
  // A choice and a switch always show what is so: a choice may have waited for its options, and a switch may have been refused.
  if (next.tag === "select" && next.props.value !== undefined && node.value !== next.props.value) node.value = next.props.value;
  if (next.props.checked !== undefined && node.checked !== next.props.checked) node.checked = next.props.checked;
}

function reconcile(parent, children) {
  const before = parent.drawn ?? [];
  const keyed = new Map();
  const loose = [];
  for (const entry of before) {
    if (entry.description.key === undefined) loose.push(entry);
    else keyed.set(entry.description.key, entry);
  }
  const used = new Set();
  const drawn = [];
  let nextLoose = 0;
  for (const next of children) {
    let entry;
    if (next.key === undefined) {
      while (nextLoose < loose.length && entry === undefined) {
        const candidate = loose[nextLoose];
        if (!agrees(candidate.description, next)) {
          // One that is gone makes room for those behind it, unless a later one is wanted here.
          if (loose.slice(nextLoose + 1).some((other) => agrees(other.description, next)) && loose.length > children.length) nextLoose += 1;
          else break;
        } else {
          entry = candidate;
          nextLoose += 1;
        }
      }
    } else {
      const candidate = keyed.get(next.key);
      if (candidate && agrees(candidate.description, next)) entry = candidate;
    }
    if (entry && !used.has(entry)) {
      used.add(entry);
      update(entry.node, entry.description, next);
      drawn.push({ node: entry.node, description: next });
    } else {
      drawn.push({ node: create(next), description: next });
    }
  }
  for (const entry of before) {
    if (!used.has(entry) && entry.node.parentNode === parent && !drawn.some((other) => other.node === entry.node)) entry.node.remove();
  }
  let place = parent.firstChild;
  for (const { node } of drawn) {
    if (node === place) place = place.nextSibling;
    else parent.insertBefore(node, place);
  }
  parent.drawn = drawn;
}

/**
 * Makes the children of an element agree with descriptions, and keeps the focus where it was.
 * @param {Element} parent The element, whose children are nobody else's.
 * @param {...any} children As for {@link h}.
 */
export function render(parent, ...children) {
  const focused = document.activeElement;
  // What stood there before the first drawing was only there until then.
  if (parent.drawn === undefined) parent.replaceChildren();
  reconcile(parent, flat(children));
  // Moving an element takes the focus from it.
  if (focused && focused !== document.activeElement && focused !== document.body && focused.isConnected && parent.contains(focused)) {
    focused.focus({ preventScroll: true });
  }
}

/**
 * Draws once for any number of changes within one turn of the event loop.
 * @param {() => void} draw Draws.
 * @returns {() => void} Asks for a drawing.
 */
export function drawing(draw) {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    queueMicrotask(() => {
      isAsked = false;
      draw();
    });
  };
}

// Building elements. Text only ever becomes a text node, so nothing typed can become markup.

export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.className = value;
    else if (name in node && typeof value !== "string") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

// Keeps a list's elements where their content is the same, so that focus and open menus survive.
export function syncList(container, items, keyOf, build) {
  const held = new Map([...container.children].map((node) => [node.dataset.key, node]));
  const wanted = items.map((item) => {
    const key = keyOf(item);
    const signature = JSON.stringify(item);
    const old = held.get(key);
    if (old && old.dataset.signature === signature) return old;
    const node = build(item);
    if (old) followFocus(old, node);
    node.dataset.key = key;
    node.dataset.signature = signature;
    return node;
  });
  wanted.forEach((node, place) => {
    if (container.children[place] !== node) container.insertBefore(node, container.children[place] ?? null);
  });
  while (container.children.length > wanted.length) container.lastChild.remove();
}

// A row that is built anew keeps the keyboard where it was.
function followFocus(old, node) {
  const focused = document.activeElement;
  if (!old.contains(focused)) return;
  const name = focused.getAttribute("aria-label");
  queueMicrotask(() => {
    const same = [...node.querySelectorAll("button, select, textarea")].find((each) => each.getAttribute("aria-label") === name);
    (same ?? node).focus({ preventScroll: true });
  });
}

let counter = 0;

export function freshId(prefix) {
  counter += 1;
  return `${prefix}-${counter}`;
}

export function notify(words) {
  const notice = document.getElementById("notice");
  notice.textContent = words;
  notice.hidden = false;
  clearTimeout(notify.timer);
  notify.timer = setTimeout(() => { notice.hidden = true; }, 6000);
}

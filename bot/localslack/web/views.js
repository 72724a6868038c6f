// Modals and the Home tab.

import { renderBlocks } from "./blocks.js";
import { el, notify } from "./dom.js";
import { report } from "./messages.js";
import { act, state } from "./state.js";
import { plain } from "./text.js";

const typed = new Map(); // view id -> what its inputs hold
let shown = null;

function contextOf(view) {
  const values = typed.get(view.id) ?? {};
  typed.set(view.id, values);
  return {
    values,
    errors: view.errors,
    hold(block, action, value) { (values[block] ??= {})[action] = value; },
    async use(element, value) { report(await act("click", { view: view.id, action_id: element.action_id, value })); },
  };
}

export function showHome(container, app) {
  const view = state.viewsOf(state.me).homes[app.id];
  const signature = JSON.stringify([app.id, view ?? null]);
  if (container.dataset.signature === signature) return;
  container.dataset.signature = signature;
  container.replaceChildren(...(view
    ? renderBlocks(view.blocks, contextOf(view))
    : [el("p", { class: "empty" }, "The app has not filled its Home tab yet.")]));
}

export function showModal() {
  const dialog = document.getElementById("modal");
  const view = state.viewsOf(state.me).modals.at(-1) ?? null;
  const signature = JSON.stringify(view);
  if (signature === shown) return;
  shown = signature;
  if (!view) { dialog.close(); return; }
  dialog.replaceChildren(form(view));
  if (!dialog.open) dialog.showModal();
  dialog.querySelector(".modal-body :is(input, textarea, select, button)")?.focus();
}

function form(view) {
  const node = el("form", {},
    el("header", {}, el("h2", { id: "modal-title" }, plain(view.title.text)),
      el("button", { type: "button", "aria-label": "Close", onclick: () => close(view) }, "✕")),
    el("div", { class: "modal-body" }, renderBlocks(view.blocks, contextOf(view))),
    el("footer", {},
      el("button", { type: "button", onclick: () => close(view) }, plain(view.close?.text ?? "Cancel")),
      view.submit && el("button", { type: "submit", class: "primary" }, plain(view.submit.text))));
  node.addEventListener("submit", (event) => { event.preventDefault(); submit(view); });
  return node;
}

async function submit(view) {
  const answer = await act("submit", { view: view.id, values: typed.get(view.id) ?? {} });
  if (!answer.ok) notify(answer.error);
  else report(answer);
}

async function close(view) {
  report(await act("close", { view: view.id }));
}

export function guardModal() {
  document.getElementById("modal").addEventListener("cancel", (event) => {
    event.preventDefault();
    const view = state.viewsOf(state.me).modals.at(-1);
    if (view) close(view);
  });
}

// Interactive elements: each a native control, so that keyboards and screen readers know it.

import { el, notify } from "./dom.js";
import { state } from "./state.js";
import { plain, textObject } from "./text.js";

export function control(element, block, context) {
  const build = CONTROLS[element.type];
  if (!build) return el("span", { class: "unknown" }, `[${element.type}]`);
  const node = build(element, block, context);
  node.dataset.action = element.action_id;
  return node;
}

// Remembers what an input holds; outside a form a change is an action of its own.
function changed(element, block, context, value) {
  if (context.form) context.hold(block.block_id, element.action_id, value);
  else if (value !== null && value !== "") context.use(element, value);
}

function held(element, block, context) {
  const kept = context.values?.[block.block_id]?.[element.action_id];
  if (kept !== undefined) return kept;
  const initial = startingValue(element);
  if (context.form && initial !== undefined) context.hold(block.block_id, element.action_id, initial);
  return initial;
}

function startingValue(element) {
  if (element.initial_option) return element.initial_option.value;
  if (element.initial_options) return element.initial_options.map((each) => each.value);
  const name = Object.keys(element).find((each) => each.startsWith("initial_"));
  return name && element[name];
}

function button(element, block, context) {
  const node = el("button", { type: "button", class: `element ${element.style ?? ""}`, "aria-label": element.accessibility_label ?? null },
    textObject(element.text));
  node.addEventListener("click", async () => {
    if (element.confirm && !(await ask(element.confirm))) return;
    if (element.url && /^https?:/.test(element.url)) window.open(element.url, "_blank", "noopener");
    context.use(element, element.value);
  });
  return node;
}

function options(element) {
  const own = (element.options ?? []).map(option);
  const grouped = (element.option_groups ?? []).map((group) => el("optgroup", { label: group.label.text }, group.options.map(option)));
  return [...own, ...grouped];
}

function option(each) {
  return el("option", { value: each.value }, plain(each.text.text));
}

function select(element, block, context, choices, many = false) {
  const value = held(element, block, context);
  const name = element.placeholder?.text ?? (element.type === "overflow" ? "More" : "Choose");
  const empty = many ? null : el("option", { value: "" }, element.type === "overflow" ? "⋯" : name);
  const node = el("select", { multiple: many, "aria-label": context.form ? null : name }, empty, choices);
  for (const each of node.options) each.selected = many ? (value ?? []).includes(each.value) : each.value === (value ?? "");
  node.addEventListener("change", async () => {
    const chosen = many ? [...node.selectedOptions].map((each) => each.value) : node.value || null;
    if (element.confirm && !(await ask(element.confirm))) return;
    changed(element, block, context, chosen);
    if (element.type === "overflow") node.value = "";
  });
  return node;
}

function people() {
  return state.people().map((each) => el("option", { value: each.id }, `@${each.name}`));
}

function places() {
  return state.channels.filter((each) => each.name).map((each) => el("option", { value: each.id }, `#${each.name}`));
}

function ticks(element, block, context, kind) {
  const value = held(element, block, context);
  const chosen = new Set([value].flat().filter(Boolean));
  const name = `${block.block_id}-${element.action_id}`;
  const node = el("fieldset", { class: "ticks" }, element.options.map((each) =>
    el("label", {}, el("input", { type: kind, name, value: each.value, checked: chosen.has(each.value) }), " ", textObject(each.text),
      each.description && el("small", {}, " ", textObject(each.description)))));
  node.addEventListener("change", () => {
    const marked = [...node.querySelectorAll("input:checked")].map((each) => each.value);
    changed(element, block, context, kind === "radio" ? marked[0] ?? null : marked);
  });
  return node;
}

function typed(element, block, context, tag, attributes) {
  const node = el(tag, { ...attributes, placeholder: element.placeholder?.text ?? null, maxlength: element.max_length ? String(element.max_length) : null,
    "aria-label": context.form ? null : element.placeholder?.text ?? "Value" });
  node.value = held(element, block, context) ?? "";
  node.addEventListener(context.form ? "input" : "change", () => changed(element, block, context, node.value));
  return node;
}

function files(element, block, context) {
  const node = el("input", { type: "file", multiple: (element.max_files ?? 10) > 1 });
  node.addEventListener("change", async () => {
    const ids = await Promise.all([...node.files].map(keepFile));
    changed(element, block, context, ids.filter(Boolean));
  });
  return node;
}

async function keepFile(file) {
  const query = new URLSearchParams({ user: state.me, name: file.name });
  const response = await fetch(`local/file?${query}`, { method: "POST", body: file });
  if (!response.ok) { notify(`${file.name} could not be read`); return null; }
  return (await response.json()).file;
}

function feedback(element, block, context) {
  return el("span", { class: "actions" }, ["positive_button", "negative_button"].map((side) =>
    el("button", { type: "button", class: "element", onclick: () => context.use(element, side) },
      side === "positive_button" ? "👍 " : "👎 ", textObject(element[side].text))));
}

const CONTROLS = {
  button,
  feedback_buttons: feedback,
  icon_button: button,
  overflow: (element, block, context) => select(element, block, context, options(element)),
  static_select: (element, block, context) => select(element, block, context, options(element)),
  multi_static_select: (element, block, context) => select(element, block, context, options(element), true),
  users_select: (element, block, context) => select(element, block, context, people()),
  multi_users_select: (element, block, context) => select(element, block, context, people(), true),
  channels_select: (element, block, context) => select(element, block, context, places()),
  multi_channels_select: (element, block, context) => select(element, block, context, places(), true),
  conversations_select: (element, block, context) => select(element, block, context, places()),
  multi_conversations_select: (element, block, context) => select(element, block, context, places(), true),
  checkboxes: (element, block, context) => ticks(element, block, context, "checkbox"),
  radio_buttons: (element, block, context) => ticks(element, block, context, "radio"),
  plain_text_input: (element, block, context) => typed(element, block, context, element.multiline ? "textarea" : "input", element.multiline ? { rows: "8" } : { type: "text" }),
  email_text_input: (element, block, context) => typed(element, block, context, "input", { type: "email" }),
  url_text_input: (element, block, context) => typed(element, block, context, "input", { type: "url" }),
  number_input: (element, block, context) => typed(element, block, context, "input", { type: "number", step: element.is_decimal_allowed ? "any" : "1" }),
  datepicker: (element, block, context) => typed(element, block, context, "input", { type: "date" }),
  timepicker: (element, block, context) => typed(element, block, context, "input", { type: "time" }),
  file_input: files,
};

function ask(confirm) {
  const dialog = document.getElementById("confirm");
  dialog.replaceChildren(
    el("h2", { id: "confirm-title" }, textObject(confirm.title)),
    el("p", {}, textObject(confirm.text)),
    el("form", { method: "dialog", class: "actions" },
      el("button", { value: "deny" }, textObject(confirm.deny)),
      el("button", { value: "confirm", class: confirm.style ?? "primary" }, textObject(confirm.confirm))));
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "confirm"), { once: true });
  });
}

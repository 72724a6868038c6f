// Where one types: Enter sends, Shift+Enter makes a line, `/` starts a command, files drop in.

import { el, notify } from "./dom.js";
import { report } from "./messages.js";
import { act, state } from "./state.js";

export function composer(form, { threaded = false } = {}) {
  const id = threaded ? "thread-text" : "composer-text";
  const area = el("textarea", { id, rows: "2", "aria-label": threaded ? "Reply" : "Message", placeholder: threaded ? "Reply…" : "", "aria-keyshortcuts": "Enter" });
  const file = el("input", { type: "file", hidden: true, multiple: true });
  const hint = el("small", { class: "hint" }, "Enter sends, Shift+Enter starts a new line");
  form.replaceChildren(area, file,
    el("div", { class: "actions" },
      el("button", { type: "button", "aria-label": "Attach a file", onclick: () => file.click() }, "📎"),
      ...(threaded ? [] : [globalShortcuts()]),
      hint,
      el("button", { type: "submit", class: "primary" }, "Send")));
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send(area, threaded);
  });
  form.addEventListener("submit", (event) => { event.preventDefault(); send(area, threaded); });
  file.addEventListener("change", () => { upload([...file.files], area, threaded); file.value = ""; });
  acceptDrops(form.closest("main, aside"), (files) => upload(files, area, threaded));
  return area;
}

function globalShortcuts() {
  const node = el("select", { class: "shortcuts", "aria-label": "Shortcuts" });
  node.addEventListener("focus", () => {
    const choices = state.shortcuts("global").map((each) => el("option", { value: each.callback_id }, each.name));
    node.replaceChildren(el("option", { value: "" }, "⚡"), ...choices);
  });
  node.append(el("option", { value: "" }, "⚡"));
  node.addEventListener("change", async () => {
    const chosen = node.value;
    node.value = "";
    if (chosen) report(await act("shortcut", { callback_id: chosen }));
  });
  return node;
}

async function send(area, threaded) {
  const text = area.value;
  if (!text.trim()) return;
  const [command] = text.match(/^\/[\w-]+/) ?? [null];
  if (command && threaded) { notify(`${command} is not supported in threads. Sorry!`); return; }
  if (command && !state.commands().includes(command)) { notify(`${command} is not a valid command`); return; }
  area.value = "";
  const answer = command
    ? await act("command", { command, text: text.slice(command.length).replace(/^\s/, "") })
    : await act("post", { text, thread: threaded ? state.thread : null });
  if (!answer.ok && !area.value) area.value = text;
  if (!command || !answer.ok) report(answer);
}

async function upload(files, area, threaded) {
  for (const each of files) {
    const query = new URLSearchParams({ user: state.me, channel: state.channel, name: each.name, comment: area.value });
    if (threaded) query.set("thread", state.thread);
    area.value = "";
    const response = await fetch(`local/upload?${query}`, { method: "POST", body: each });
    if (!response.ok) notify(`${each.name} could not be uploaded`);
  }
}

function acceptDrops(place, take) {
  const carries = (event) => event.dataTransfer?.types.includes("Files");
  place.addEventListener("dragover", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    place.classList.add("dropping");
  });
  place.addEventListener("dragleave", () => place.classList.remove("dropping"));
  place.addEventListener("drop", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    place.classList.remove("dropping");
    take([...event.dataTransfer.files]);
  });
}

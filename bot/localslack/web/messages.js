// One message: who, when, what it says, its reactions and what can be done with it.

import { attachment, renderBlocks } from "./blocks.js";
import { el, notify } from "./dom.js";
import { act, state } from "./state.js";
import { CHOICES, emoji, mrkdwn } from "./text.js";

export function messageRow(message, { thread = false, openThread }) {
  const app = state.appOf(message);
  const name = app?.name ?? message.username ?? state.userName(message.user) ?? (message.user === "USLACKBOT" ? "Slackbot" : "bot");
  return el("li", { class: `message ${message.whispered ? "whispered" : ""} ${message.subtype ?? ""}`, tabindex: "0", "data-ts": message.ts },
    el("span", { class: `avatar ${app ? "app" : `hue-${hue(name)}`}`, "aria-hidden": "true" }, name[0]?.toUpperCase()),
    el("div", { class: "body" },
      message.whispered && el("p", { class: "only-you" }, "👁 Only visible to you"),
      el("p", { class: "byline" }, el("strong", {}, name), (app || message.bot_id) && el("span", { class: "badge" }, "APP"), " ", time(message.ts)),
      message.subtype === "thread_broadcast" && !thread && el("p", { class: "context" }, "replied to a thread"),
      content(message),
      (message.files ?? []).map(file),
      reactions(message),
      !thread && message.reply_count > 0 && el("button", { type: "button", class: "replies", onclick: () => openThread(message.ts) },
        message.reply_count === 1 ? "1 reply" : `${message.reply_count} replies`)),
    !message.whispered && message.subtype !== "tombstone" && toolbar(message, openThread));
}

function hue(name) {
  return [...name].reduce((sum, letter) => sum + letter.codePointAt(0), 0) % 6;
}

function time(ts) {
  const date = new Date(Number(ts) * 1000);
  return el("time", { datetime: date.toISOString() }, date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }));
}

function content(message) {
  const context = { use: (element, value) => use(message, element, value) };
  const blocks = message.blocks?.length && renderBlocks(message.blocks, context);
  const edited = message.edited && el("small", { class: "edited" }, " (edited)");
  return el("div", { class: "content" }, blocks || mrkdwn(message.text ?? ""), edited,
    (message.attachments ?? []).map((each) => attachment(each, context)));
}

export async function use(message, element, value) {
  const answer = await act("click", { ts: message.ts, action_id: element.action_id, value });
  report(answer);
}

export function report(answer) {
  if (!answer.ok) notify(answer.error);
  else if (answer.acknowledged === false) notify("The app did not answer in time");
}

function file(each) {
  if (each.mode === "tombstone") return el("p", { class: "file" }, "This file was deleted.");
  return el("div", { class: "file" },
    el("a", { href: `local/files/${each.id}`, download: each.name ?? "" }, "📄 ", each.name ?? each.id),
    each.size !== undefined && el("small", {}, ` ${each.size.toLocaleString()} bytes`),
    each.preview && el("pre", { tabindex: "0" }, each.preview, each.preview_is_truncated && "\n…"));
}

function reactions(message) {
  const shown = message.reactions ?? [];
  if (!shown.length) return null;
  return el("div", { class: "reactions" }, shown.map((each) => {
    const mine = each.users.includes(state.me);
    const who = each.users.map((user) => state.userName(user) ?? user).join(", ");
    return el("button", { type: "button", class: "reaction", "aria-pressed": String(mine), title: `${who} reacted with :${each.name}:`,
      "aria-label": `${each.name}, ${each.count}`, onclick: () => react(message, each.name) }, emoji(each.name), " ", each.count);
  }));
}

async function react(message, name) {
  report(await act("react", { ts: message.ts, name }));
}

function toolbar(message, openThread) {
  const mine = message.user === state.me;
  return el("div", { class: "toolbar", role: "toolbar", "aria-label": "Message actions" },
    ["+1", "-1"].map((name) => el("button", { type: "button", "aria-label": `React with ${name}`, onclick: () => react(message, name) }, emoji(name))),
    menu("Add reaction", "☺", CHOICES.map((name) => [name, `${emoji(name)} ${name}`]), (name) => react(message, name)),
    el("button", { type: "button", "aria-label": "Reply in thread", onclick: () => openThread(message.thread_ts ?? message.ts) }, "💬"),
    menu("More actions", "⋯", [
      ...state.shortcuts("message").map((each) => [`shortcut:${each.callback_id}`, each.name]),
      ...(mine ? [["edit", "Edit"], ["delete", "Delete"]] : []),
    ], (choice) => more(message, choice)));
}

function menu(label, sign, choices, choose) {
  if (!choices.length) return null;
  const node = el("select", { "aria-label": label }, el("option", { value: "" }, sign), choices.map(([value, words]) => el("option", { value }, words)));
  node.addEventListener("change", () => { const chosen = node.value; node.value = ""; choose(chosen); });
  return node;
}

async function more(message, choice) {
  if (choice.startsWith("shortcut:")) return report(await act("shortcut", { callback_id: choice.slice(9), ts: message.ts }));
  if (choice === "delete") return report(await act("delete", { ts: message.ts }));
  return startEdit(message);
}

function startEdit(message) {
  const row = document.querySelector(`[data-ts="${message.ts}"] .content`);
  const area = el("textarea", { rows: "4", "aria-label": "Edit message" });
  area.value = sourceOf(message);
  const save = async () => report(await act("edit", { ts: message.ts, text: area.value }));
  const form = el("form", { class: "edit" }, area, el("div", { class: "actions" },
    el("button", { type: "submit", class: "primary" }, "Save"),
    el("button", { type: "button", onclick: () => form.replaceWith(row) }, "Cancel")));
  form.addEventListener("submit", (event) => { event.preventDefault(); save(); });
  row.replaceWith(form);
  area.focus();
}

// What the person typed, put together again from the rich text it became.
function sourceOf(message) {
  const parts = message.blocks?.[0]?.elements ?? [];
  return parts.map((part) => {
    const text = part.elements.map((each) => (each.style?.code ? `\`${each.text}\`` : each.text ?? each.url ?? (each.user_id ? `<@${each.user_id}>` : ""))).join("");
    return part.type === "rich_text_preformatted" ? `\`\`\`${text}\`\`\`` : text;
  }).join("");
}

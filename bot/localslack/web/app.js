// The playground: a small Slack on this machine.

import { composer } from "./composer.js";
import { el, syncList } from "./dom.js";
import { messageRow } from "./messages.js";
import { act, listen, state } from "./state.js";
import { guardModal, showHome, showModal } from "./views.js";

const byId = (id) => document.getElementById(id);

function go(change) {
  Object.assign(state, { introduce: false }, change);
  render();
}

function openThread(ts) {
  go({ thread: ts });
  byId("thread-text").focus();
}

function closeThread() {
  go({ thread: null });
  byId("composer-text").focus();
}

function renderSidebar() {
  byId("team-name").textContent = state.team.name ?? "Playground";
  syncList(byId("people"), [{ id: "" }, ...state.people()], (each) => each.id, (each) => (each.id ? person(each) : el("legend", {}, "You are")));
  for (const each of byId("people").querySelectorAll("input")) each.checked = each.value === state.me;
  const channels = state.mine().map(({ id, name, kind, members }) => ({ id, name, kind, members, me: state.me }));
  syncList(byId("channels"), channels, (each) => each.id, channelItem);
  syncList(byId("apps"), state.apps, (each) => each.id, appItem);
  markCurrent(byId("channels"), state.home ? null : state.channel);
  markCurrent(byId("apps"), state.home);
}

function markCurrent(list, key) {
  for (const item of list.children) {
    const button = item.querySelector("button");
    if (item.dataset.key === key) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  }
}

function person(each) {
  return el("label", {}, el("input", { type: "radio", name: "me", value: each.id, onchange: () => go({ me: each.id, home: null }) }), " ", each.real_name);
}

function title(channel) {
  if (channel.kind === "im") return `@${channel.members.filter((each) => each !== state.me).map((each) => state.userName(each)).join(", ")}`;
  return `${channel.kind === "group" ? "🔒" : "#"} ${channel.name}`;
}

function channelItem(channel) {
  return el("li", {}, el("button", { type: "button", onclick: () => go({ channel: channel.id, thread: null, home: null }) }, title(channel)));
}

function appItem(app) {
  return el("li", {},
    el("button", { type: "button", onclick: () => openHome(app) }, `${app.name} · Home`),
    el("button", { type: "button", onclick: () => openDirect(app) }, `${app.name} · Messages`));
}

async function openHome(app) {
  go({ home: app.id, thread: null });
  await act("home", { app: app.id });
}

async function openDirect(app) {
  const { channel } = await act("direct", { app: app.id });
  go({ channel, home: null, thread: null });
}

function renderMain() {
  const home = state.apps.find((each) => each.id === state.home);
  const channel = state.here();
  byId("place").replaceChildren(el("h2", {}, home ? home.name : channel ? title(channel) : "No channel"));
  byId("messages").hidden = byId("composer").hidden = Boolean(home);
  byId("home").hidden = !home;
  byId("composer-text").placeholder = [`Message ${channel ? title(channel) : ""}`, ...state.commands().map((each) => `${each} …`)].join(", or ");
  if (home) showHome(byId("home"), home);
  else fill(byId("messages"), state.shown(), false);
}

function renderThread() {
  byId("thread").hidden = !state.thread;
  if (state.thread) fill(byId("thread-messages"), state.shown(state.thread), true);
}

// Follows new messages only where the person has not scrolled away from the end.
function fill(list, messages, thread) {
  const place = `${state.channel}/${thread ? state.thread : ""}/${state.me}`;
  const fresh = list.dataset.place !== place;
  const introduced = thread && document.activeElement === document.body;
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 80;
  if (fresh) list.replaceChildren();
  list.dataset.place = place;
  syncList(list, messages, (each) => each.ts, (each) => messageRow(each, { thread, openThread }));
  if (fresh || (atEnd && !introduced)) list.scrollTop = introduced ? 0 : list.scrollHeight;
}

function render() {
  state.settle();
  renderSidebar();
  renderMain();
  renderThread();
  showModal();
}

composer(byId("composer"));
composer(byId("thread-composer"), { threaded: true });
byId("thread-close").addEventListener("click", closeThread);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && state.thread && !document.querySelector("dialog[open]")) closeThread();
});
guardModal();
listen(render, (open) => { byId("connection").textContent = open ? "" : "Reconnecting…"; });

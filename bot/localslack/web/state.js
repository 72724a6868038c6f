// What the page knows, brought up to date by the stream.

const remembered = new URLSearchParams(location.hash.slice(1));

export const state = {
  team: {}, users: [], groups: [], apps: [], channels: [], whispers: [], views: new Map(),
  me: remembered.get("user"), channel: remembered.get("channel"), thread: null, home: null,
  // A newcomer is shown the first thread that comes to life, since that is what there is to see.
  introduce: location.hash === "",

  user(id) { return this.users.find((each) => each.id === id); },
  userName(id) { return this.user(id)?.name; },
  people() { return this.users.filter((each) => !each.is_bot); },
  channelOf(id) { return this.channels.find((each) => each.id === id); },
  channelName(id) { return this.channelOf(id)?.name; },
  appOf(message) { return this.apps.find((each) => each.id === message.app_id || each.bots.includes(message.user)); },
  here() { return this.channelOf(this.channel); },
  mine() { return this.channels.filter((each) => each.members.includes(this.me)); },
  commands() { return this.apps.flatMap((each) => each.commands); },
  shortcuts(kind) { return this.apps.flatMap((each) => each.shortcuts).filter((each) => each.kind === kind); },
  viewsOf(user) { return this.views.get(user) ?? { modals: [], homes: {} }; },

  message(ts) { return this.here()?.messages.find((each) => each.ts === ts); },

  // What the person sees in the channel, or below one message, with what only they see.
  shown(thread = null) {
    const whispers = this.whispers
      .filter((each) => each.channel === this.channel && each.user === this.me)
      .map((each) => ({ ...each.message, whispered: true }));
    const all = [...(this.here()?.messages ?? []), ...whispers];
    all.sort((one, other) => (one.ts < other.ts ? -1 : 1));
    if (thread) return all.filter((each) => each.ts === thread || each.thread_ts === thread);
    return all.filter((each) => !each.thread_ts || each.thread_ts === each.ts || each.subtype === "thread_broadcast");
  },

  take(frame) { TAKE[frame.kind]?.(frame); },

  settle() {
    if (!this.people().some((each) => each.id === this.me)) this.me = this.people()[0]?.id ?? null;
    if (!this.mine().some((each) => each.id === this.channel)) this.channel = this.mine()[0]?.id ?? null;
    if (this.thread && !this.message(this.thread)) this.thread = null;
    const first = this.introduce && this.here()?.messages.find((each) => each.reply_count > 0);
    if (first) Object.assign(this, { thread: first.ts, introduce: false });
    history.replaceState(null, "", `#user=${this.me}&channel=${this.channel}`);
  },
};

const TAKE = {
  state({ state: whole }) {
    const { views, ...rest } = whole;
    Object.assign(state, rest);
    state.views = new Map(views.map((each) => [each.user, each]));
  },
  message({ channel, message }) {
    const messages = state.channelOf(channel)?.messages;
    if (!messages) return refresh();
    const place = messages.findIndex((each) => each.ts === message.ts);
    if (place < 0) messages.push(message);
    else messages[place] = message;
    return undefined;
  },
  gone({ channel, ts }) {
    const found = state.channelOf(channel);
    if (found) found.messages = found.messages.filter((each) => each.ts !== ts);
  },
  whisper({ channel, user, message }) {
    TAKE.whisper_gone({ ts: message.ts });
    state.whispers.push({ channel, user, message });
  },
  whisper_gone({ ts }) {
    state.whispers = state.whispers.filter((each) => each.message.ts !== ts);
  },
  views(frame) { state.views.set(frame.user, frame); },
  members({ channel, members }) {
    const found = state.channelOf(channel);
    if (found) found.members = members;
  },
};

async function refresh() {
  const response = await fetch("local/state");
  TAKE.state({ state: await response.json() });
  state.onChange();
}

export function listen(onChange, onLink) {
  state.onChange = onChange;
  const stream = new WebSocket(`${location.origin.replace("http", "ws")}/local/stream`);
  stream.addEventListener("open", () => onLink(true));
  stream.addEventListener("message", (event) => { state.take(JSON.parse(event.data)); onChange(); });
  stream.addEventListener("close", () => { onLink(false); setTimeout(() => listen(onChange, onLink), 1000); });
}

export async function act(name, body) {
  const response = await fetch(`local/act/${name}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ user: state.me, channel: state.channel, ...body }),
  });
  return response.ok ? response.json() : { ok: false, error: `HTTP ${response.status}` };
}

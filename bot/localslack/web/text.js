// Slack's mrkdwn, plain text and the markdown block, as nodes.

import { el } from "./dom.js";
import { state } from "./state.js";

const EMOJI = {
  "+1": "👍", "-1": "👎", eyes: "👀", white_check_mark: "✅", x: "❌", warning: "⚠️", tada: "🎉",
  heavy_check_mark: "✔️", hourglass: "⌛", hourglass_flowing_sand: "⏳", bulb: "💡", wrench: "🔧",
  mag: "🔍", rotating_light: "🚨", no_entry: "⛔", no_entry_sign: "🚫", recycle: "♻️", link: "🔗",
  question: "❓", exclamation: "❗", memo: "📝", robot: "🤖", thinking_face: "🤔", heart: "❤️",
  fire: "🔥", rocket: "🚀", sob: "😭", joy: "😂", wave: "👋", pray: "🙏", clap: "👏", bell: "🔔",
  no_bell: "🔕", gear: "⚙️", speech_balloon: "💬", clipboard: "📋", chart_with_upwards_trend: "📈",
  chart_with_downwards_trend: "📉", large_green_circle: "🟢", large_red_circle: "🔴",
  large_yellow_circle: "🟡", point_right: "👉", arrow_right: "➡️", information_source: "ℹ️",
  construction: "🚧", stop_sign: "🛑", see_no_evil: "🙈", sparkles: "✨", star: "⭐", zap: "⚡",
  bug: "🐛", lock: "🔒", key: "🔑", package: "📦", calendar: "📆", one: "1️⃣", two: "2️⃣",
};
const TONES = ["", "", "🏻", "🏼", "🏽", "🏾", "🏿"];
export const CHOICES = ["+1", "-1", "eyes", "white_check_mark", "x", "tada", "heart", "thinking_face"];

export function emoji(name) {
  const [base, tone] = name.split("::skin-tone-");
  return (EMOJI[base] ?? `:${base}:`) + (tone ? TONES[Number(tone)] : "");
}

export function decode(text) {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

const INLINE = /```([\s\S]+?)```|`([^`\n]+)`|<([^<>\n]+)>|(?<![\w*])\*([^*\n]+)\*(?![\w*])|(?<![\w_])_([^_\n]+)_(?![\w_])|(?<![\w~])~([^~\n]+)~(?![\w~])|:([a-z0-9_+-]+):/g;

export function mrkdwn(text) {
  const nodes = [];
  for (const part of splitQuotes(text)) {
    if (part.quote) nodes.push(el("blockquote", {}, inline(part.text)));
    else nodes.push(...inline(part.text));
  }
  return nodes;
}

function splitQuotes(text) {
  const parts = [];
  let fenced = false;
  for (const line of text.split("\n")) {
    const quote = !fenced && /^(&gt;|>) ?/.test(line);
    const body = quote ? line.replace(/^(&gt;|>) ?/, "") : line;
    const last = parts.at(-1);
    if (last && last.quote === quote) last.text += `\n${body}`;
    else parts.push({ quote, text: body });
    if ((line.match(/```/g) ?? []).length % 2) fenced = !fenced;
  }
  return parts;
}

function inline(text) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    nodes.push(decode(text.slice(end, match.index)), piece(match));
    end = match.index + match[0].length;
  }
  nodes.push(decode(text.slice(end)));
  return nodes.filter((node) => node !== "");
}

function piece([whole, fence, code, token, bold, italic, struck, name]) {
  if (fence !== undefined) return el("pre", { tabindex: "0" }, decode(plainTokens(trim(fence))));
  if (code !== undefined) return el("code", {}, decode(plainTokens(code)));
  if (token !== undefined) return special(token);
  if (bold !== undefined) return el("strong", {}, inline(bold));
  if (italic !== undefined) return el("em", {}, inline(italic));
  if (struck !== undefined) return el("s", {}, inline(struck));
  return name in EMOJI ? el("span", { role: "img", "aria-label": name }, EMOJI[name]) : whole;
}

function trim(fence) {
  return fence.replace(/^\n/, "").replace(/\n$/, "");
}

function plainTokens(code) {
  return code.replace(/<(?:https?:\/\/|mailto:)[^<>|]*\|([^<>]*)>/g, "$1").replace(/<(https?:\/\/[^<>|]*)>/g, "$1");
}

function special(token) {
  const [target, label] = token.split("|");
  if (target.startsWith("@")) return mention(`@${state.userName(target.slice(1)) ?? label ?? target}`);
  if (target.startsWith("#")) return mention(`#${state.channelName(target.slice(1)) ?? label ?? target}`);
  if (target.startsWith("!subteam^")) return mention(label ?? "@group");
  if (target.startsWith("!date^")) return label ?? target;
  if (target.startsWith("!")) return mention(`@${target.slice(1)}`);
  return link(decode(target), decode(label ?? target));
}

export function mention(words) {
  return el("span", { class: "mention" }, words);
}

export function link(url, label) {
  if (!/^(https?:|mailto:)/.test(url)) return label;
  return el("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, label);
}

export function textObject(object) {
  if (object.type === "mrkdwn") return mrkdwn(object.text);
  return [plain(object.text)];
}

export function plain(text) {
  return text.replace(/:([a-z0-9_+-]+):/g, (whole, name) => EMOJI[name] ?? whole);
}

// The markdown block: headings, lists, fences and the inline marks of standard Markdown.
export function markdown(text) {
  return text.split(/(```[^\n]*\n[\s\S]*?```)/).flatMap((part) => {
    const fence = part.match(/^```[^\n]*\n([\s\S]*?)\n?```$/);
    if (fence) return [el("pre", { tabindex: "0" }, fence[1])];
    return part.split("\n").filter((line) => line.trim()).map(markdownLine);
  });
}

function markdownLine(line) {
  const heading = line.match(/^(#{1,6}) (.*)/);
  if (heading) return el("p", { class: "heading" }, marks(heading[2]));
  const item = line.match(/^\s*(?:[-*]|(\d+\.)) (.*)/);
  if (item) return el("p", { class: "item" }, item[1] ?? "•", " ", marks(item[2]));
  return el("p", {}, marks(line));
}

function marks(text) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\(([^)\s]+)\)/g)) {
    nodes.push(text.slice(end, match.index));
    if (match[1]) nodes.push(el("code", {}, match[1]));
    else if (match[2]) nodes.push(el("strong", {}, match[2]));
    else if (match[3]) nodes.push(el("em", {}, match[3]));
    else nodes.push(link(match[5], match[4]));
    end = match.index + match[0].length;
  }
  nodes.push(text.slice(end));
  return nodes;
}

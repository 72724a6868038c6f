// rich_text blocks as nodes.

import { el } from "./dom.js";
import { state } from "./state.js";
import { emoji, link, mention } from "./text.js";

export function richText(block) {
  return el("div", { class: "rich" }, block.elements.map(part));
}

function part(element) {
  if (element.type === "rich_text_preformatted") return el("pre", { tabindex: "0" }, element.elements.map((each) => each.text ?? each.url));
  if (element.type === "rich_text_quote") return el("blockquote", {}, element.elements.map(run));
  if (element.type === "rich_text_list") return list(element);
  return el("p", {}, element.elements.map(run));
}

function list(element) {
  const tag = element.style === "ordered" ? "ol" : "ul";
  return el(tag, { class: `indent-${element.indent ?? 0}` }, element.elements.map((each) => el("li", {}, each.elements.map(run))));
}

function run(element) {
  const node = RUNS[element.type]?.(element) ?? "";
  const style = element.style ?? {};
  return ["code", "bold", "italic", "strike"].filter((each) => style[each]).reduce((inner, each) => el(TAGS[each], {}, inner), node);
}

const TAGS = { code: "code", bold: "strong", italic: "em", strike: "s" };
const RUNS = {
  text: (element) => element.text,
  link: (element) => link(element.url, element.text ?? element.url),
  user: (element) => mention(`@${state.userName(element.user_id) ?? element.user_id}`),
  channel: (element) => mention(`#${state.channelName(element.channel_id) ?? element.channel_id}`),
  usergroup: (element) => mention(`@${state.groups.find((each) => each.id === element.usergroup_id)?.handle ?? "group"}`),
  broadcast: (element) => mention(`@${element.range}`),
  emoji: (element) => emoji(element.name),
  date: (element) => element.fallback ?? new Date(element.timestamp * 1000).toLocaleString(),
  color: (element) => element.value,
};

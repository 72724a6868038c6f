// Block Kit: layout blocks as nodes. `context` says what using an element does.

import { control } from "./elements.js";
import { el, freshId } from "./dom.js";
import { richText } from "./rich.js";
import { markdown, textObject } from "./text.js";

export function renderBlocks(blocks, context) {
  return blocks.map((block) => {
    const build = BLOCKS[block.type];
    const node = build ? build(block, context) : el("p", { class: "unknown" }, `[${block.type} block]`);
    node.dataset.block = block.block_id ?? "";
    return node;
  });
}

function picture(image) {
  const name = image.alt_text || "image";
  return el("span", { class: "picture", role: "img", "aria-label": name }, "🖼 ", name);
}

const BLOCKS = {
  section(block, context) {
    const accessory = block.accessory && (block.accessory.type === "image" ? picture(block.accessory) : control(block.accessory, block, context));
    return el("div", { class: "section" },
      el("div", { class: "words" },
        block.text && el("div", {}, textObject(block.text)),
        block.fields && el("div", { class: "fields" }, block.fields.map((each) => el("div", {}, textObject(each))))),
      accessory && el("div", { class: "accessory" }, accessory));
  },

  header: (block) => el("h3", { class: "block-header" }, textObject(block.text)),
  divider: () => el("hr"),
  image: (block) => el("figure", {}, block.title && el("figcaption", {}, textObject(block.title)), picture(block)),
  context: (block) => el("div", { class: "context" }, block.elements.map((each) => (each.type === "image" ? picture(each) : el("span", {}, textObject(each))))),
  actions: (block, context) => el("div", { class: "actions" }, block.elements.map((each) => control(each, block, context))),
  context_actions: (block, context) => el("div", { class: "actions" }, block.elements.map((each) => control(each, block, context))),
  rich_text: (block) => richText(block),
  markdown: (block) => el("div", { class: "rich" }, markdown(block.text)),
  alert: (block) => el("div", { class: `alert ${block.level ?? "default"}`, role: "note" }, textObject(block.text)),

  input(block, context) {
    const id = freshId("input");
    const error = context.errors?.[block.block_id];
    const help = [block.hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
    const node = control(block.element, block, { ...context, form: true });
    node.id = id;
    if (help) node.setAttribute("aria-describedby", help);
    if (error) node.setAttribute("aria-invalid", "true");
    const many = node.tagName === "FIELDSET";
    const label = el(many ? "span" : "label", many ? { id: `${id}-label` } : { for: id }, textObject(block.label), block.optional && el("small", {}, " (optional)"));
    if (many) node.setAttribute("aria-labelledby", `${id}-label`);
    return el("div", { class: "input" }, label, node,
      block.hint && el("small", { id: `${id}-hint`, class: "hint" }, textObject(block.hint)),
      error && el("p", { id: `${id}-error`, class: "error" }, error));
  },

  table: (block) => el("div", { class: "scroll", tabindex: "0" }, el("table", {}, el("tbody", {}, block.rows.map((row, number) => el("tr", {}, row.map((cell) => el(number ? "td" : "th", {}, cellContent(cell)))))))),
  card: (block, context) => el("div", { class: "card" },
    block.title && el("strong", {}, textObject(block.title)),
    block.subtitle && el("div", {}, textObject(block.subtitle)),
    block.body && el("div", {}, textObject(block.body)),
    block.actions && el("div", { class: "actions" }, block.actions.map((each) => control(each, block, context)))),
  carousel: (block, context) => el("div", { class: "carousel" }, block.elements.map((each) => BLOCKS.card(each, context))),
  task_card: (block) => el("div", { class: "card" }, el("strong", {}, block.title), ` (${block.status ?? "pending"})`, block.details && richText(block.details)),
  plan: (block) => el("div", { class: "card" }, el("strong", {}, block.title), (block.tasks ?? []).map((each) => BLOCKS.task_card(each))),
};

function cellContent(cell) {
  return cell.type === "rich_text" ? richText(cell) : String(cell.text ?? cell.value ?? "");
}

export function attachment(item, context) {
  const bar = el("div", { class: "attachment" },
    item.pretext && el("p", {}, textObject({ type: "mrkdwn", text: item.pretext })),
    item.title && el("strong", {}, textObject({ type: "mrkdwn", text: item.title })),
    item.text && el("div", {}, textObject({ type: "mrkdwn", text: item.text })),
    item.fields && el("dl", { class: "fields" }, item.fields.map((each) => el("div", {}, el("dt", {}, each.title), el("dd", {}, String(each.value))))),
    item.blocks && renderBlocks(item.blocks, context),
    item.footer && el("small", {}, item.footer));
  if (/^#?[0-9a-f]{6}$/i.test(item.color ?? "")) bar.style.setProperty("--bar", `#${item.color.replace("#", "")}`);
  return bar;
}

/** The guides for partners: docs/guides/*.md, as HTML. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Marked, type Tokens } from "marked";
import { escapeHtml, highlight } from "../../docs/pages/code.js";
import { packageRoot } from "../../src/package.ts";
import { paths } from "./paths.ts";

export interface Heading {
  readonly id: string;
  readonly title: string;
  readonly depth: number;
}

export interface Guide {
  /** Its file's name, and the last segment of its page's path. */
  readonly name: string;
  readonly title: string;
  /** Its first paragraph, as text. */
  readonly summary: string;
  readonly html: string;
  /** Its second- and third-level headings. */
  readonly headings: readonly Heading[];
}

/** In the order in which a newcomer wants them. */
const names = [
  ...["access-tokens", "demo-business", "client", "till", "bookings", "scopes", "locations", "idempotency"],
  ...[
    "pagination",
    "errors",
    "members",
    "merging",
    "sales",
    "points",
    "tiers",
    "wallet",
    "vouchers",
    "events",
    "event-types",
    "webhooks",
    "sandbox",
    "limits",
    "going-live",
    "support",
    "changes",
  ],
];

const folder = join(packageRoot, "docs/guides");

/** Reads and renders all guides. */
export function readGuides(): Guide[] {
  return names.map((name) => renderGuide(name, readFileSync(join(folder, `${name}.md`), "utf8")));
}

/** Words by which a search finds a guide, before its title. */
const frontMatter = /^---\nkeywords: .*\n---\n/;

/** Renders one guide. Links to other guides' files lead to their pages. */
export function renderGuide(name: string, source: string): Guide {
  const markdown = source.replace(frontMatter, "");
  const headings: Heading[] = [];
  const marked = new Marked({
    walkTokens(token) {
      if (token.type === "link") token.href = pageOf(token.href);
    },
    renderer: {
      heading({ tokens, depth }) {
        const title = titleOf(tokens);
        const id = idOf(title);
        if (depth > 1) headings.push({ id, title: escapeHtml(title), depth });
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      code: ({ text, lang }) => `<pre tabindex="0"><code>${highlight(text, lang ?? "")}</code></pre>\n`,
      // Each cell has the name of its column, for narrow pages, which show a row as a list.
      table({ header, rows }) {
        const names = header.map(({ text }) => escapeHtml(text.replaceAll("`", "")));
        const head = header.map(({ tokens }) => `<th>${this.parser.parseInline(tokens)}</th>`).join("");
        const body = rows.map((cells) => {
          const html = cells.map(
            ({ tokens }, index) => `<td data-name="${names[index]}">${this.parser.parseInline(tokens)}</td>`,
          );
          return `<tr>${html.join("")}</tr>`;
        });
        return `<table><thead><tr>${head}</tr></thead><tbody>${body.join("")}</tbody></table>\n`;
      },
      html: ({ text }) => (text.startsWith("<!--") ? "" : text),
    },
  });
  const tokens = marked.lexer(markdown);
  const title = tokens.find((token): token is Tokens.Heading => token.type === "heading");
  const summary = tokens.find((token): token is Tokens.Paragraph => token.type === "paragraph");
  return {
    name,
    title: title?.text ?? name,
    summary: plainText(summary?.text ?? ""),
    html: marked.parse(markdown, { async: false }),
    headings,
  };
}

/** `errors.md` is the page errors beside this one; the OpenAPI document is what the reference page shows. */
function pageOf(href: string): string {
  if (href === "../api/openapi.json") return paths.reference;
  if (href === "../../packages/sdk") return `${paths.downloads}/loyalty-sdk.tgz`;
  return href.replace(/^([a-z-]+)\.md(?=#|$)/, "$1");
}

/** The first code in a heading (an error's code) names it; otherwise its words do. */
function titleOf(tokens: readonly Tokens.Generic[]): string {
  const code = tokens.find(({ type }) => type === "codespan");
  return String(code?.text ?? tokens.map(({ text }) => text).join(""));
}

/** The title in lower case, with dashes between its words. */
function idOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, "-")
    .replace(/^-|-$/g, "");
}

function plainText(markdown: string): string {
  return escapeHtml(markdown.replaceAll(/[`*]|\[|\]\([^)]*\)/g, "").replaceAll("\n", " "));
}

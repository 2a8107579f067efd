/** The guides for partners: docs/guides/*.md, as HTML. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Marked, type Tokens } from "marked";
import { packageRoot } from "../../src/package.ts";
import { escapeHtml, highlight } from "./html.ts";
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
  ...["access-tokens", "demo-business", "client", "till", "scopes", "locations", "idempotency"],
  ...["pagination", "errors", "members", "sales", "points", "wallet", "vouchers", "sandbox"],
];

const folder = join(packageRoot, "docs/guides");

/** Reads and renders all guides. */
export function readGuides(): Guide[] {
  return names.map((name) => renderGuide(name, readFileSync(join(folder, `${name}.md`), "utf8")));
}

/** Renders one guide. Links to other guides' files lead to their pages. */
export function renderGuide(name: string, markdown: string): Guide {
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
      // Wide tables scroll, so that the page does not.
      table(token) {
        const rows = [token.header, ...token.rows].map((cells, index) => {
          const tag = index === 0 ? "th" : "td";
          const html = cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`);
          return `<tr>${html.join("")}</tr>`;
        });
        return `<div class="table" tabindex="0"><table><thead>${rows[0]}</thead><tbody>${rows.slice(1).join("")}</tbody></table></div>\n`;
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
  return href.replace(/^\.\.\/api\//, `${paths.downloads}/`).replace(/^([a-z-]+)\.md(?=#|$)/, "$1");
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

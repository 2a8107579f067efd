import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { highlight } from "../../docs/pages/code.js";
import { documentOf, readDocuments } from "./documents.ts";
import { guideGroups, type MenuItem, menus, operatorGroups } from "./menu.ts";

const render = (markdown: string, file = "docs/guides/a.md", page = "guides/a") =>
  documentOf(file, page, markdown);

describe("a guide", () => {
  it("has its title and its first paragraph", () => {
    const guide = render(
      "# How to `do` it\n\nDo *it* well, as\n[this](errors.md).\n\n## It's first\n\n### `a_code` 404\n",
    );
    expect(guide).toMatchObject({ title: "How to do it", summary: "Do it well, as this." });
  });

  it("leads to pages where its file leads to files, and to no file that is not a page", () => {
    const { markdown } = render(
      "[a](errors.md#a_code) [b](../api/openapi.json) [c](https://example.com/x.md) [d](../../packages/sdk) " +
        "[e](../BACKUPS.md#x) [f](../../src/main.ts) [g](../decisions/README.md) [h](../../SECURITY.md)",
    );
    expect(markdown).toContain(
      "[a](/guides/errors#a_code) [b](/reference/) [c](https://example.com/x.md) [d](/downloads/loyalty-sdk.tgz) " +
        "[e](/operators/backups#x) f [g](/decisions/) [h](/operators/security)",
    );
  });

  it("leads from the paths of operations to their pages", () => {
    const { markdown } = render(
      "# `/sp/sales/record`\n\n`/sp/sales/record`, `/sp/nothing` and [`/sp/sales/quote`](b.md).\n",
    );
    expect(markdown).toContain(
      "[`/sp/sales/record`](/sp/sales/record), `/sp/nothing` and [`/sp/sales/quote`](/guides/b)",
    );
    expect(markdown).toContain("# `/sp/sales/record`\n");
  });

  it("keeps its code and the words for the search", () => {
    const { markdown } = render("---\nkeywords: gdpr\n---\n# A\n\nB.\n\n```md\n## [a](b.md)\n```\n");
    expect(markdown).toMatch(/^---\nkeywords: gdpr\ntitle: "A"\n/);
    expect(markdown).toContain("```md\n## [a](b.md)\n```\n");
  });
});

describe("the menus", () => {
  const documents = readDocuments();

  it("have every guide and every document for operators in a group", () => {
    const named = (groups: Readonly<Record<string, readonly string[]>>) =>
      Object.values(groups).flat().sort();
    const files = readdirSync(new URL("../../docs/guides/", import.meta.url));
    const guides = files.map((name) => name.replace(/\.md$/, ""));
    expect(named(guideGroups)).toEqual([...guides, "sdk"].sort());
    const pages = documents.filter(({ page }) => page.startsWith("operators/"));
    expect(named(operatorGroups).map((name) => `operators/${name}`)).toEqual(
      pages.map(({ page }) => page).sort(),
    );
  });

  it("lead to each page once", () => {
    for (const menu of Object.values(menus(documents))) {
      const links = menu.flatMap(({ items = [], link }) => [link, ...items.map((item) => item.link)]);
      const pages = links.filter((link) => link !== undefined);
      expect(new Set(pages).size).toBe(pages.length);
    }
  });

  it("of an operation have the operations of its group, and lead to the other groups", () => {
    const texts = (menu: readonly MenuItem[] = []) =>
      menu.map(({ text, items, link }) => [text, items?.length, link]);
    const all = menus(documents);
    const [whole, own] = [texts(all["/op/"]), texts(all["/op/segments/"])];
    expect(own.map(([text]) => text)).toEqual(whole.map(([text]) => text));
    expect(own.filter(([, items]) => items !== undefined)).toEqual([
      whole[0],
      whole.find(([text]) => text === "Members"),
    ]);
    expect(own.find(([text]) => text === "Sales")).toEqual(["Sales", undefined, "/op/sales/list"]);
  });

  it("have titles and summaries of their own", () => {
    for (const { title, summary, page } of documents) {
      expect(title).toMatch(/^[A-Z][^`]+$/);
      expect(summary, page).toMatch(/[.:]$/);
    }
    expect(new Set(documents.map(({ summary }) => summary)).size).toBe(documents.length);
  });
});

describe("code", () => {
  it.each([
    ["json", '{"a": 1}', '{<span class="name">&quot;a&quot;</span>: <span class="number">1</span>}'],
    ["json", '"<b>"', '<span class="text">&quot;&lt;b&gt;&quot;</span>'],
    ["js", "await x; // why", '<span class="word">await</span> x; <span class="comment">// why</span>'],
    ["sh", "A=1", '<span class="name">A</span>=1'],
    ["", "a < b", "a &lt; b"],
  ])("in %s: %s", (language, code, html) => {
    expect(highlight(code, language)).toBe(html);
  });

  it("keeps every character", () => {
    const code = 'const a = `x` + "y"; // z\nreturn 5 > 4 && a;';
    const text = highlight(code, "js").replaceAll(/<[^>]+>/g, "");
    expect(text).toBe(
      code.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
    );
  });
});

import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { highlight } from "../../docs/pages/code.js";
import { readGuides, renderGuide } from "./guides.ts";

const render = (markdown: string) => renderGuide("a", markdown);

describe("a guide", () => {
  it("has its title, its first paragraph and its headings beside its text", () => {
    const guide = render(
      "# How to `do` it\n\nDo *it* <well>, as\n[this](errors.md).\n\n## First\n\n### `a_code` 404\n",
    );
    expect(guide).toMatchObject({
      title: "How to `do` it",
      summary: "Do it &lt;well&gt;, as this.",
      headings: [
        { id: "first", title: "First", depth: 2 },
        { id: "a_code", title: "a_code", depth: 3 },
      ],
    });
    expect(guide.html).toContain('<h3 id="a_code"><code>a_code</code> 404</h3>');
  });

  it("leads to pages where its file leads to files", () => {
    const { html } = render(
      "[a](errors.md#a_code) [b](../api/openapi.json) [c](https://example.com/x.md) [d](../../packages/sdk)",
    );
    expect(html).toContain('<a href="errors#a_code">a</a>');
    expect(html).toContain('<a href="%BASE_PATH%/docs">b</a>');
    expect(html).toContain('<a href="https://example.com/x.md">c</a>');
    expect(html).toContain('<a href="%BASE_PATH%/docs/downloads/loyalty-sdk.tgz">d</a>');
  });

  it("shows neither the marks of generated parts nor a cell without the name of its column", () => {
    const { html } = render("<!-- generated: x -->\n\n| A | `B` |\n| - | - |\n| 1 | `2` |\n\n<!-- end -->\n");
    expect(html.trim()).toBe(
      "<table><thead><tr><th>A</th><th><code>B</code></th></tr></thead>" +
        '<tbody><tr><td data-name="A">1</td><td data-name="B"><code>2</code></td></tr></tbody></table>',
    );
  });
});

it("has every file of docs/guides among the guides, each with a title and a summary of its own", () => {
  const guides = readGuides();
  const files = readdirSync(new URL("../../docs/guides/", import.meta.url));
  expect(guides.map(({ name }) => `${name}.md`).sort()).toEqual(files.sort());
  for (const { title, summary, headings } of guides) {
    expect(title).toMatch(/^[A-Z][^`]+$/);
    expect(summary).toMatch(/[.]$/);
    expect(headings.length).toBeGreaterThan(0);
  }
  expect(new Set(guides.map(({ summary }) => summary)).size).toBe(guides.length);
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

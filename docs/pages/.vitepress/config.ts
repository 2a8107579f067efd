import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { highlight } from "../code.js";

const sources = join(import.meta.dirname, "../../../dist/pages");
const menus = JSON.parse(readFileSync(join(sources, "menus.json"), "utf8"));
const { LOYALTY_DOCS_BASE: base = "/BASE_PATH/docs/", LOYALTY_DOCS_OUT: outDir } = process.env;
// Any web server can serve the pages of a folder if their addresses end in .html.
const cleanUrls = base !== "/";

export default defineConfig({
  srcDir: sources,
  outDir,
  cacheDir: join(sources, ".cache"),
  base,
  cleanUrls,
  metaChunk: true,
  // Without an inline style, which the security policy forbids.
  appearance: { disableTransition: false },
  vite: { build: { chunkSizeWarningLimit: 2000, assetsInlineLimit: 0 }, plugins: [withoutNestedButtons()] },
  lang: "en",
  title: "Loyalty",
  description: "Members, points, wallets, tiers and vouchers over one API.",
  head: [["link", { rel: "icon", href: `${base}icon.svg`, type: "image/svg+xml" }]],
  // A menu has a hundred links.
  router: { prefetchLinks: false },
  markdown: {
    attrs: { leftDelimiter: "%{", rightDelimiter: "}%" },
    // Classes instead of the styles of elements, which the security policy forbids.
    highlight: (code, language) =>
      `<pre v-pre tabindex="0"><code>${highlight(code.trimEnd(), language)}</code></pre>`,
    // As GitHub names headings, so that links to them work there, too.
    anchor: {
      slugify: (title) =>
        title
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, "")
          .replaceAll(" ", "-"),
    },
    config: (md) => md.core.ruler.push("column names", nameColumns),
  },
  themeConfig: {
    logo: "/icon.svg",
    siteTitle: "Loyalty",
    nav: [
      { text: "Guides", link: "/guides/", activeMatch: "/guides/" },
      { text: "Reference", link: "/reference/", activeMatch: "/(?:reference|sp)/" },
      { text: "Operators", link: "/operators/deploying", activeMatch: "/(?:op|operators|decisions)/" },
    ],
    sidebar: menus,
    outline: [2, 3],
    search: {
      provider: "local",
      options: {
        detailedView: true,
        miniSearch: {
          searchOptions: {
            // Two letters that changed places are two faults.
            fuzzy: 0.25,
            prefix: true,
            combineWith: "AND",
            boost: { title: 4, text: 2, titles: 1 },
          },
        },
        // The words of `keywords` are found, too.
        _render(source, env, md) {
          const rendered = md.render(source, env);
          // Titles say which pages are not for partners. They are found after the others.
          const kind = { op: " (for operators)", decisions: " (decision)" }[env.relativePath.split("/")[0]];
          const html = rendered.replace(/(?= <a class="header-anchor"[^>]*>|<\/h1>)/, kind ?? "");
          const words = env.frontmatter?.keywords;
          return words === undefined ? html : html.replace("</h1>", `</h1><p>${words}</p>`);
        },
      },
    },
  },
});

/** Each cell gets the name of its column, for narrow pages, which show a row as a list. */
function nameColumns({ tokens }) {
  const names: string[] = [];
  let column = 0;
  for (const [nth, token] of tokens.entries()) {
    if (token.type === "thead_open") names.length = 0;
    if (token.type === "tr_open") column = 0;
    if (token.type === "th_open") names.push(tokens[nth + 1].content.replaceAll("`", ""));
    if (/^t[hd]_open$/.test(token.type)) token.attrs = null;
    // A column without a name has no header.
    if (token.type === "th_open" && tokens[nth + 1].content === "") token.tag = tokens[nth + 2].tag = "td";
    // Of two columns, the first one names what the second one says.
    if (token.type === "td_open") token.attrSet("data-name", (names.length > 2 && names[column++]) || "");
  }
}

/** The arrow in the title of a group does what the title does, and a button in a button is hard to use without a mouse. */
function withoutNestedButtons() {
  const transform = (code: string, id: string) =>
    id.endsWith("VPSidebarItem.vue")
      ? code.replace(
          /(class="caret")\s+role="button"\s+aria-label="toggle section"([^>]*?)\s+tabindex="0"/,
          "$1$2",
        )
      : undefined;
  return { name: "without nested buttons", enforce: "pre" as const, transform };
}

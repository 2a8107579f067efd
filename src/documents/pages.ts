/** The pages of the documentation: reference, guides, and the frame around both. */
import type { Guide } from "./guides.ts";

/** Where the parts of the documentation are. */
export interface PagePaths {
  readonly reference: string;
  readonly guides: string;
  readonly openApi: string;
  /** The folder of files to take along. */
  readonly downloads: string;
  /** Of an asset, by its file's name. */
  readonly asset: (name: string) => string;
}

interface Frame {
  readonly title: string;
  readonly description: string;
  readonly current: "guides" | "reference";
  readonly styles: readonly string[];
  readonly main: string;
}

function frame(paths: PagePaths, { title, description, current, styles, main }: Frame): string {
  const links = [
    ["reference", paths.reference, "Reference"],
    ["guides", paths.guides, "Guides"],
  ].map(
    ([name, href, text]) =>
      `<a class="tab" href="${href}"${name === current ? ' aria-current="true"' : ""}>${text}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${description}">
<link rel="icon" href="${paths.asset("icon.svg")}" type="image/svg+xml">
${styles.map((name) => `<link rel="stylesheet" href="${paths.asset(name)}">`).join("\n")}
</head>
<body class="${current}">
<header class="bar">
<a class="brand" href="${paths.reference}"><img src="${paths.asset("icon.svg")}" alt="" width="24" height="24">Loyalty API</a>
<nav aria-label="Documentation">${links.join("")}<a class="tab document" href="${paths.openApi}">OpenAPI</a></nav>
</header>
${main}
</body>
</html>
`;
}

/** The reference page, which a script fills from the OpenAPI document. */
export function referencePage(paths: PagePaths): string {
  return frame(paths, {
    title: "Loyalty Partner API: reference",
    description: "Every operation of the Loyalty Partner API, with a console to try it.",
    current: "reference",
    styles: ["page.css"],
    main: `<div id="reference" data-document="${paths.openApi}">
<noscript><p>The reference needs JavaScript. Without it, read the <a href="${paths.guides}">guides</a> or the
<a href="${paths.openApi}">OpenAPI document</a>.</p></noscript>
</div>
<script src="${paths.asset("reader.js")}"></script>
<script src="${paths.asset("reference.js")}"></script>`,
  });
}

function guideList(paths: PagePaths, guides: readonly Guide[], current?: string): string {
  const items = guides.map(({ name, title }) => {
    const here = name === current ? ' aria-current="page"' : "";
    return `<li><a class="entry" href="${paths.guides}/${name}"${here}>${title}</a></li>`;
  });
  return `<ul>${items.join("")}</ul>`;
}

/** The page of one guide. */
export function guidePage(paths: PagePaths, guides: readonly Guide[], guide: Guide): string {
  const index = guides.indexOf(guide);
  const onward = guides[index + 1];
  const onThisPage = guide.headings.map(
    ({ id, title, depth }) => `<li class="depth-${depth}"><a class="entry" href="#${id}">${title}</a></li>`,
  );
  return frame(paths, {
    title: `${guide.title}: Loyalty Partner API`,
    description: guide.summary,
    current: "guides",
    styles: ["page.css", "guide.css"],
    main: `<div class="columns">
<nav class="list" aria-label="Guides"><p>Guides</p>${guideList(paths, guides, guide.name)}</nav>
<main>
<article>
${guide.html}</article>
<footer>${
      onward === undefined
        ? `<a href="${paths.reference}">On to the reference</a>`
        : `<a href="${paths.guides}/${onward.name}">Next: ${onward.title}</a>`
    }</footer>
</main>
<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${onThisPage.join("")}</ul></nav>
</div>`,
  });
}

/** The page that leads to the guides. */
export function guidesPage(paths: PagePaths, guides: readonly Guide[]): string {
  const cards = guides.map(
    ({ name, title, summary }) =>
      `<li><a class="card" href="${paths.guides}/${name}"><strong>${title}</strong><span>${summary}</span></a></li>`,
  );
  return frame(paths, {
    title: "Guides: Loyalty Partner API",
    description: "How to work with the Loyalty Partner API.",
    current: "guides",
    styles: ["page.css", "guide.css"],
    main: `<main class="overview">
<h1>Guides</h1>
<p>What to know before you write the first request, and when something goes wrong. Every operation, with its fields
and a console to try it, is in the <a href="${paths.reference}">reference</a>.</p>
<ul class="cards">${cards.join("")}</ul>
</main>`,
  });
}

/** The pages of the documentation: reference, guides, and the frame around both. */
import { marked } from "marked";
import { basePathMarker } from "../../src/http/docs.ts";
import type { Guide } from "./guides.ts";
import { type Audience, audiences } from "./openapi.ts";
import { assetPath, paths } from "./paths.ts";
import { explainedErrors, operationIndex, referenceHtml } from "./reference.ts";

interface Frame {
  readonly title: string;
  readonly description: string;
  readonly current: "guides" | "reference" | "operators";
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  readonly main: string;
}

function frame({ title, description, current, styles, scripts, main }: Frame): string {
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
<link rel="icon" href="${assetPath("icon.svg")}" type="image/svg+xml">
${styles.map((name) => `<link rel="stylesheet" href="${assetPath(name)}">`).join("\n")}
${scripts.map((name) => `<script src="${assetPath(name)}" defer></script>`).join("\n")}
</head>
<body class="${current}">
<header class="bar">
<a class="brand" href="${paths.reference}"><img src="${assetPath("icon.svg")}" alt="" width="24" height="24">Loyalty API</a>
<nav aria-label="Documentation">${links.join("")}<a class="tab document" href="${paths.openApi}">OpenAPI</a></nav>
</header>
${main}
</body>
</html>
`;
}

/** The reference of one audience's operations: what each does, and a form to try it. */
export function referencePage(audience: Audience, guides: readonly Guide[]): string {
  const { operations, title, summary, description } = audiences[audience];
  const partner = audience === "partner";
  return frame({
    title: `${title}: reference`,
    description: summary,
    current: partner ? "reference" : "operators",
    styles: ["page.css", "guide.css", "reference.css"],
    scripts: ["reference.js"],
    main: `<div class="api" data-base="${basePathMarker}">
<nav class="list" aria-label="Operations">
<input type="search" id="search" placeholder="Search" aria-label="Search operations, guides and errors">
<div class="index">${operationIndex(operations)}</div>
<div class="index more"><h2>Guides</h2><ul>${guideEntries(guides)}</ul></div>
<div class="index more"><h2>Errors</h2><ul>${errorEntries()}</ul></div>
</nav>
<main>
<section class="intro">
<h1>${title}</h1>
${marked.parse(description(paths.reference), { async: false })}
${partner ? tokenForm : keyForm}
</section>
${referenceHtml(operations)}
</main>
</div>`,
  });
}

const tokenForm = `<form class="credentials" data-kind="token">
<h2>Try it here</h2>
<p>The forms below send real requests to this service. They need an access token. With the demo business, choose its file
<code>data/demo.json</code> from the directory where the service was started; it is read by this page alone.</p>
<p><label class="file">Use demo credentials<input type="file" name="demo" accept=".json,application/json"></label></p>
<p class="row"><label>client_id <input name="client_id" autocomplete="off" spellcheck="false"></label>
<label>client_secret <input name="client_secret" type="password" autocomplete="off"></label>
<button>Get a token</button></p>
<p class="row"><label>Access token <input name="bearer" type="password" autocomplete="off" spellcheck="false"></label>
<output></output></p>
</form>`;

const keyForm = `<form class="credentials" data-kind="key">
<h2>Try it here</h2>
<p>The forms below send real requests to this service, with the operator key.</p>
<p class="row"><label>Operator key <input name="bearer" type="password" autocomplete="off" spellcheck="false"></label>
<output></output></p>
</form>`;

const entry = (href: string, text: string, more = "") =>
  `<li><a class="entry" href="${href}"${more}>${text}</a></li>`;

function guideEntries(guides: readonly Guide[], current?: Guide): string {
  const isCurrent = ' aria-current="page"';
  return guides
    .map((guide) => entry(`${paths.guides}/${guide.name}`, guide.title, guide === current ? isCurrent : ""))
    .join("");
}

function errorEntries(): string {
  return [...explainedErrors]
    .sort()
    .map((code) => entry(`${paths.errors}#${code}`, code))
    .join("");
}

/** The page of one guide. */
export function guidePage(guides: readonly Guide[], guide: Guide): string {
  const index = guides.indexOf(guide);
  const link = (to: Guide, text: string) => `<a href="${paths.guides}/${to.name}">${text}: ${to.title}</a>`;
  const [previous, onward] = [guides[index - 1], guides[index + 1]];
  const back = previous === undefined ? "" : link(previous, "Previous");
  const toReference = `<a href="${paths.reference}">On to the reference</a>`;
  const forth = onward === undefined ? toReference : link(onward, "Next");
  const onThisPage = guide.headings.map(
    ({ id, title, depth }) => `<li class="depth-${depth}"><a class="entry" href="#${id}">${title}</a></li>`,
  );
  return frame({
    title: `${guide.title}: Loyalty Partner API`,
    description: guide.summary,
    current: "guides",
    styles: ["page.css", "guide.css"],
    scripts: ["guide.js"],
    main: `<div class="columns">
<nav class="list" aria-label="Guides"><p>Guides</p><ul>${guideEntries(guides, guide)}</ul></nav>
<main>
<article>
${guide.html}</article>
<footer>${back}${forth}</footer>
</main>
<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${onThisPage.join("")}</ul></nav>
</div>`,
  });
}

/** The page that leads to the guides. */
export function guidesPage(guides: readonly Guide[]): string {
  const cards = guides.map(
    ({ name, title, summary }) =>
      `<li><a class="card" href="${paths.guides}/${name}"><strong>${title}</strong><span>${summary}</span></a></li>`,
  );
  return frame({
    title: "Guides: Loyalty Partner API",
    description: "How to work with the Loyalty Partner API.",
    current: "guides",
    styles: ["page.css", "guide.css"],
    scripts: [],
    main: `<main class="overview">
<h1>Guides</h1>
<p>What to know before you write the first request, and when something goes wrong. Every operation, with its fields
and a console to try it, is in the <a href="${paths.reference}">reference</a>.</p>
<ul class="cards">${cards.join("")}</ul>
</main>`,
  });
}

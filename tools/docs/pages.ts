/** The pages of the documentation: reference, guides, and the frame around both. */
import { marked } from "marked";
import { basePathMarker } from "../../src/http/docs.ts";
import { madeIds } from "./examples.ts";
import type { Guide } from "./guides.ts";
import { type Audience, audiences } from "./openapi.ts";
import { type Asset, assetPath, paths } from "./paths.ts";
import { operationIndex, referenceHtml } from "./reference.ts";

/** What pages lead to. */
export interface Site {
  readonly guides: readonly Guide[];
  /** What the search looks through. */
  readonly indexes: Record<Audience, Asset>;
}

interface Frame {
  readonly title: string;
  readonly description: string;
  readonly current?: "guides" | "reference" | "operators";
  readonly styles?: readonly string[];
  readonly scripts?: readonly string[];
  readonly main: string;
}

function frame(
  { indexes }: Site,
  { title, description, current, styles = [], scripts = [], main }: Frame,
): string {
  const isOfOperators = current === "operators";
  const links = [
    ["reference", paths.reference, "Reference"],
    ["guides", paths.guides, "Guides"],
    ["openapi", `${basePathMarker}${isOfOperators ? "/op" : ""}/openapi.json`, "OpenAPI"],
  ].map(
    ([name, href, text]) =>
      `<a class="tab" href="${href}"${name === current ? ' aria-current="true"' : ""}>${text}</a>`,
  );
  const index = indexes[isOfOperators ? "operator" : "partner"].file;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${description}">
<link rel="icon" href="${assetPath("icon.svg")}" type="image/svg+xml">
${["page.css", "guide.css", ...styles].map((name) => `<link rel="stylesheet" href="${assetPath(name)}">`).join("\n")}
${["page.js", ...scripts].map((name) => `<script type="module" src="${assetPath(name)}"></script>`).join("\n")}
</head>
<body>
<header class="bar">
<a class="brand" href="${paths.reference}"><img src="${assetPath("icon.svg")}" alt="" width="24" height="24"><span>Loyalty API</span></a>
<nav aria-label="Documentation">${links.join("")}</nav>
</header>
<div class="search" role="search" hidden data-base="${basePathMarker}" data-index="${basePathMarker}/${index}">
<input type="search" placeholder="Search operations, fields, guides" aria-label="Search operations, fields and guides" aria-keyshortcuts="/" autocomplete="off" spellcheck="false">
<div class="results" hidden><output></output><ol></ol></div>
</div>
${main}
</body>
</html>
`;
}

/** A list of links beside the page. On a narrow page, a button shows it. */
const sidebar = (
  name: string,
  html: string,
) => `<input type="checkbox" id="menu"><label for="menu">${name}</label>
<nav class="list" aria-label="${name}">${html}</nav>`;

/** The reference of one audience's operations: what each does, and a form to try it. */
export function referencePage(audience: Audience, site: Site): string {
  const { operations, title, summary, description } = audiences[audience];
  const partner = audience === "partner";
  // The examples go on with the demo's member: a new one has no money.
  const passedOn = madeIds(operations).filter((name) => name !== "contact_id");
  return frame(site, {
    title: `${title}: reference`,
    description: summary,
    current: partner ? "reference" : "operators",
    styles: ["reference.css"],
    scripts: ["reference.js"],
    main: `<div class="api" data-base="${basePathMarker}" data-ids="${passedOn.join(" ")}">
${sidebar("Operations", operationIndex(operations))}
<main>
<section class="intro">
<h1>${title}</h1>
${marked.parse(description(paths.reference), { async: false })}
${partner ? beginning : ""}${partner ? tokenForm : keyForm}
</section>
${referenceHtml(operations)}
</main>
</div>`,
  });
}

const beginning = `<p>The code beside each operation reads <code>BASE_URL</code>, <code>TOKEN</code>, <code>CLIENT_ID</code> and
<code>CLIENT_SECRET</code> from the environment, <a href="${paths.guides}/access-tokens">as the guides set them</a>. The examples
are one day of one member of the <a href="${paths.guides}/demo-business">demo business</a>.</p>
`;

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

function guideEntries(guides: readonly Guide[], current: Guide): string {
  const isCurrent = ' aria-current="page"';
  return guides
    .map(
      (guide) =>
        `<li><a class="entry" href="${paths.guides}/${guide.name}"${guide === current ? isCurrent : ""}>${guide.title}</a></li>`,
    )
    .join("");
}

/** The page of one guide. */
export function guidePage(site: Site, guide: Guide): string {
  const { guides } = site;
  const index = guides.indexOf(guide);
  const link = (to: Guide, text: string) => `<a href="${paths.guides}/${to.name}">${text}: ${to.title}</a>`;
  const [previous, onward] = [guides[index - 1], guides[index + 1]];
  const back = previous === undefined ? "" : link(previous, "Previous");
  const toReference = `<a href="${paths.reference}">On to the reference</a>`;
  const forth = onward === undefined ? toReference : link(onward, "Next");
  const onThisPage = guide.headings.map(
    ({ id, title, depth }) => `<li class="depth-${depth}"><a class="entry" href="#${id}">${title}</a></li>`,
  );
  return frame(site, {
    title: `${guide.title}: Loyalty Partner API`,
    description: guide.summary,
    current: "guides",
    main: `<div class="columns">
${sidebar("Guides", `<p>Guides</p><ul>${guideEntries(guides, guide)}</ul>`)}
<main>
<article>
${guide.html}</article>
<footer>${back}${forth}</footer>
</main>
<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${onThisPage.join("")}</ul></nav>
</div>`,
  });
}

/** The cards that lead to the guides. */
function guideCards(guides: readonly Guide[]): string {
  const cards = guides.map(
    ({ name, title, summary }) =>
      `<li><a class="card" href="${paths.guides}/${name}"><strong>${title}</strong><span>${summary}</span></a></li>`,
  );
  return `<ul class="cards">${cards.join("")}</ul>`;
}

/** The page that leads to the guides. */
export function guidesPage(site: Site): string {
  return frame(site, {
    title: "Guides: Loyalty Partner API",
    description: "How to work with the Loyalty Partner API.",
    current: "guides",
    main: `<main class="overview">
<h1>Guides</h1>
<p>What to know before you write the first request, and when something goes wrong. Every operation, with its fields
and a console to try it, is in the <a href="${paths.reference}">reference</a>.</p>
${guideCards(site.guides)}
</main>`,
  });
}

/** The page at an address that leads nowhere. */
export function missingPage(site: Site): string {
  return frame(site, {
    title: "No such page: Loyalty Partner API",
    description: "The address leads to no page of the documentation.",
    main: `<main class="overview">
<h1>There is no page at this address</h1>
<p>Search for what you want, go to the <a href="${paths.reference}">reference</a> with all operations, or choose a guide:</p>
${guideCards(site.guides)}
</main>`,
  });
}

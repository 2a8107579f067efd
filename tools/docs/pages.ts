/** The pages of the documentation: reference, guides, and the frame around both. */
import { marked } from "marked";
import type { Guide } from "./guides.ts";
import { type Audience, info, operationsOf } from "./openapi.ts";
import { explainedErrors, operationIndex, referenceHtml } from "./reference.ts";

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
  readonly current: "guides" | "reference" | "operators";
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  readonly main: string;
}

function frame(paths: PagePaths, { title, description, current, styles, scripts, main }: Frame): string {
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
${scripts.map((name) => `<script src="${paths.asset(name)}" defer></script>`).join("\n")}
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

interface Reference {
  readonly audience: Audience;
  /** What precedes the paths of the operations. */
  readonly basePath: string;
  readonly guides: readonly Guide[];
}

/** The reference of one audience's operations: what each does, and a form to try it. */
export function referencePage(paths: PagePaths, { audience, basePath, guides }: Reference): string {
  const { title, summary, description } = info[audience];
  const operations = operationsOf[audience];
  const errorsPage = `${paths.guides}/errors`;
  const partner = audience === "partner";
  return frame(paths, {
    title: `${title}: reference`,
    description: summary,
    current: partner ? "reference" : "operators",
    styles: ["page.css", "guide.css", "reference.css"],
    scripts: ["reference.js"],
    main: `<div class="api" data-base="${basePath}">
<nav class="list" aria-label="Operations">
<input type="search" id="search" placeholder="Search" aria-label="Search operations, guides and errors">
<div class="index">${operationIndex(operations)}</div>
<div class="index more"><h2>Guides</h2><ul>${guideEntries(paths, guides)}</ul></div>
<div class="index more"><h2>Errors</h2><ul>${errorEntries(errorsPage)}</ul></div>
</nav>
<main>
<section class="intro">
<h1>${title}</h1>
${marked.parse(description, { async: false })}
${partner ? `<p>${tools(paths)}</p>` : ""}
${partner ? tokenForm : keyForm}
</section>
${referenceHtml(operations, errorsPage)}
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

function tools({ guides, openApi, downloads }: PagePaths): string {
  return (
    `There are <a href="${guides}">guides</a>, a <a href="${guides}/client">client for TypeScript and JavaScript</a>, ` +
    `the <a href="${openApi}">OpenAPI document</a>, and a Postman ` +
    `<a href="${downloads}/loyalty.postman_collection.json">collection</a> with its ` +
    `<a href="${downloads}/loyalty.postman_environment.json">environment</a>.`
  );
}

function guideEntries(paths: PagePaths, guides: readonly Guide[]): string {
  return guides
    .map(({ name, title }) => `<li><a class="entry" href="${paths.guides}/${name}">${title}</a></li>`)
    .join("");
}

function errorEntries(errorsPage: string): string {
  return [...explainedErrors]
    .sort()
    .map((code) => `<li><a class="entry" href="${errorsPage}#${code}">${code}</a></li>`)
    .join("");
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
  const [previous, onward] = [guides[index - 1], guides[index + 1]];
  const onThisPage = guide.headings.map(
    ({ id, title, depth }) => `<li class="depth-${depth}"><a class="entry" href="#${id}">${title}</a></li>`,
  );
  return frame(paths, {
    title: `${guide.title}: Loyalty Partner API`,
    description: guide.summary,
    current: "guides",
    styles: ["page.css", "guide.css"],
    scripts: ["guide.js"],
    main: `<div class="columns">
<nav class="list" aria-label="Guides"><p>Guides</p>${guideList(paths, guides, guide.name)}</nav>
<main>
<article>
${guide.html}</article>
<footer>${
      previous === undefined
        ? ""
        : `<a href="${paths.guides}/${previous.name}">Previous: ${previous.title}</a>`
    }${
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
    scripts: [],
    main: `<main class="overview">
<h1>Guides</h1>
<p>What to know before you write the first request, and when something goes wrong. Every operation, with its fields
and a console to try it, is in the <a href="${paths.reference}">reference</a>.</p>
<ul class="cards">${cards.join("")}</ul>
</main>`,
  });
}

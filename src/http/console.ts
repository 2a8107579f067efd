/** Serves the console from the build: its page at every path below /console/, and its parts. */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { packageRoot } from "../package.ts";
import { basePathMarker, codingFor } from "./docs.ts";
import { languageFor } from "./languages.ts";
import type { FindPage, Page } from "./server.ts";

const consoleFolder = join(packageRoot, "dist/console");

/** The marker in the page for the nonce of its response. */
const nonceMarker = "%NONCE%";

const partTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
};

/** Components add style elements with the nonce, and set styles of elements. Nothing comes from other hosts. */
const policyWith = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join("; ");

/** The page in each language of the build, by language. */
function readPages(basePath: string): Map<string, string> {
  const found = readdirSync(consoleFolder).flatMap((name) => {
    const [, language] = /^index\.(\w+)\.html$/.exec(name) ?? [];
    return language === undefined
      ? []
      : [[language, readFileSync(join(consoleFolder, name), "utf8")] as const];
  });
  return new Map(found.map(([language, text]) => [language, text.replaceAll(basePathMarker, basePath)]));
}

/** The page is never cached, because its names of the parts change with each build. */
function consolePage(basePath: string): Page {
  const pages = readPages(basePath);
  return async (sent) => {
    const text = pages.get(languageFor(sent, pages)) as string;
    const nonce = randomBytes(18).toString("base64");
    const headers = {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policyWith(nonce),
      "cross-origin-opener-policy": "same-origin",
      "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
    };
    return { status: 200, headers, body: text.replaceAll(nonceMarker, nonce) };
  };
}

/** A part, whose path has a hash of its content. The build has compressed it. */
function consolePart(name: string): Page {
  const read = (suffix: string) => readFileSync(join(consoleFolder, "assets", name + suffix));
  const bodies = { "": read(""), br: read(".br"), gzip: read(".gz") };
  const headers = {
    "content-type": partTypes[extname(name)] as string,
    "cache-control": "public, max-age=31536000, immutable",
    "cross-origin-resource-policy": "same-origin",
    vary: "accept-encoding",
  };
  return async (sent) => {
    const coding = codingFor(sent["accept-encoding"]);
    if (coding === undefined) return { status: 200, headers, body: bodies[""] };
    return { status: 200, headers: { ...headers, "content-encoding": coding }, body: bodies[coding] };
  };
}

/** Reads the console. Paths below /console/ that are no parts lead to its page, which shows what belongs there. */
export function readConsole(basePath: string): FindPage {
  const home = `${basePath}/console/`;
  const parts = new Map<string, Page>();
  for (const name of readdirSync(join(consoleFolder, "assets"))) {
    if (partTypes[extname(name)] !== undefined) parts.set(`${home}assets/${name}`, consolePart(name));
  }
  const page = consolePage(basePath);
  const toHome = async () => ({ status: 308, headers: { location: home }, body: "" });
  return (path) => {
    if (path === `${basePath}/console`) return toHome;
    if (!path.startsWith(home)) return undefined;
    return path.startsWith(`${home}assets/`) ? parts.get(path) : page;
  };
}

/** Serves the documentation from the build: pages, their assets and the OpenAPI document. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { packageRoot } from "../package.ts";
import { responseHeaders } from "./connections.ts";
import type { FindPage, Page } from "./server.ts";

/** Markers in the files, for the base path and for the URL by which the caller reaches it. */
export const basePathMarker = "%BASE_PATH%";
export const baseUrlMarker = "%BASE_URL%";

/** The page at addresses of the documentation that lead nowhere. */
export const missingPageFile = "docs/missing.html";

const folder = join(packageRoot, "dist/site");
const defaultOrigin = "http://127.0.0.1:8080";

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".tgz": "application/gzip",
};

// Pages load nothing from other hosts, have no inline code, and can't be framed.
const own =
  "script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function policyOf(path: string): string {
  if (!path.endsWith(".html")) return responseHeaders["content-security-policy"];
  return `default-src 'none'; ${path.endsWith("docs.html") ? "connect-src 'self'; " : ""}${own}`;
}

/** Reads a file. It is prepared at its first request, because that would take a third of the time of a start for all of them. */
function readDocument(path: string, basePath: string, status = 200): Page {
  const content = readFileSync(join(folder, path));
  let document: Page | undefined;
  return (sent, origin) => {
    document ??= prepareDocument(path, content, basePath, status);
    return document(sent, origin);
  };
}

/** Makes the function that returns a file. Its URLs may depend on how the caller reaches the service. */
function prepareDocument(path: string, content: Buffer, basePath: string, status: number): Page {
  const isText = extname(path) !== ".tgz";
  const text = isText ? withBasePath(content.toString(), basePath) : "";
  const bodyAt = (origin: string) => Buffer.from(text.replaceAll(baseUrlMarker, origin + basePath));
  const usual = isText ? bodyAt(defaultOrigin) : content;
  const usualEtag = etagOf(usual);
  const compressed = new Map<string, Promise<Buffer>>();
  const fileHeaders = {
    "content-type": contentTypes[extname(path)] as string,
    // The paths of assets have a hash of their content.
    "cache-control": path.startsWith("docs/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
    "content-security-policy": policyOf(path),
    vary: "accept-encoding",
    ...(path.startsWith("docs/downloads/") && { "content-disposition": "attachment" }),
  };
  return async (sent, origin) => {
    const isUsual = origin === undefined || !text.includes(baseUrlMarker);
    const body = isUsual ? usual : bodyAt(origin);
    const headers = { ...fileHeaders, etag: isUsual ? usualEtag : etagOf(body) };
    const known = sent["if-none-match"]?.split(",").map((tag) => tag.trim());
    if (status === 200 && (known?.includes(headers.etag) || known?.includes("*")))
      return { status: 304, headers, body: "" };
    // Text with the caller's URL is not compressed, because any client can send a new Host with each request.
    const coding = isText && isUsual ? codingFor(sent["accept-encoding"]) : undefined;
    if (coding === undefined) return { status, headers, body };
    const whole = compressed.get(coding) ?? compressors[coding](usual);
    compressed.set(coding, whole);
    return { status, headers: { ...headers, "content-encoding": coding }, body: await whole };
  };
}

/** The reference takes 16 kB with br, and 23 kB with gzip. */
const compressors = { br: promisify<Buffer, Buffer>(brotliCompress), gzip: promisify<Buffer, Buffer>(gzip) };

/** The best coding that a client accepts. */
export function codingFor(accepted: string | string[] | undefined): keyof typeof compressors | undefined {
  const names = String(accepted ?? "").split(/[\s,;]+/);
  return (["br", "gzip"] as const).find((name) => names.includes(name));
}

/** The tag is weak, because the body may be sent compressed or not. */
function etagOf(body: Buffer): string {
  return `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
}

/** Fills in the base path. The URL of a server in an OpenAPI document must not be empty. */
function withBasePath(text: string, basePath: string): string {
  return text
    .replaceAll(`"url":"${basePathMarker}"`, `"url":"${basePath === "" ? "/" : basePath}"`)
    .replaceAll(basePathMarker, basePath);
}

/** Reads the documentation: its files, redirects, and the page for people at an address that leads nowhere. */
export function readDocuments(basePath: string): FindPage {
  const pages = new Map<string, Page>();
  const redirect = (status: number) => async () => {
    return { status, headers: { location: `${basePath}/docs` }, body: "" };
  };
  // For people who open the address of the service or of its API.
  for (const path of ["/", "/docs", basePath, `${basePath}/`]) pages.set(path, redirect(302));
  pages.set(`${basePath}/docs/`, redirect(308));
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => extname(path) !== "" && path !== missingPageFile);
  for (const path of paths) {
    pages.set(`${basePath}/${path.replace(/\.html$/, "")}`, readDocument(path, basePath));
  }
  const missing = readDocument(missingPageFile, basePath, 404);
  const docs = [`${basePath}/docs/`, `${basePath}/op/docs/`];
  return (path, accept = "") => {
    const isForPeople = docs.some((folder) => path.startsWith(folder)) || accept.includes("text/html");
    return pages.get(path) ?? (isForPeople ? missing : undefined);
  };
}

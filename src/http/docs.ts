/** Serves the documentation, which the build made: pages, their parts and the OpenAPI document, by GET. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { packageRoot } from "../package.ts";

/** What stands in the files for the base path, and for the URL by which the caller reaches it. */
export const basePathMarker = "%BASE_PATH%";
export const baseUrlMarker = "%BASE_URL%";

const folder = join(packageRoot, "dist/site");
const defaultOrigin = "http://127.0.0.1:8080";

interface SiteFile {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly etag: string;
  /** The text, if it shows the URL of the service. */
  readonly text: string | undefined;
  /** Compresses the body, once, unless it is compressed already. */
  readonly compressed: (() => Promise<Buffer>) | undefined;
}

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".tgz": "application/gzip",
};

// Nothing comes from another host, nothing is inline, and no page can be framed. Only the references send requests.
const own =
  "script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function policyOf(path: string): string {
  if (!path.endsWith(".html")) return "default-src 'none'; frame-ancestors 'none'";
  return `default-src 'none'; ${path.endsWith("docs.html") ? "connect-src 'self'; " : ""}${own}`;
}

/** Reads the files. @returns them by the path of their URL */
function readSite(basePath: string): Map<string, SiteFile> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => extname(path) !== "");
  return new Map(
    paths.map((path) => [`${basePath}/${path.replace(/\.html$/, "")}`, readSiteFile(path, basePath)]),
  );
}

function readSiteFile(path: string, basePath: string): SiteFile {
  const content = readFileSync(join(folder, path));
  const contentType = contentTypes[extname(path)] as string;
  const isText = contentType !== contentTypes[".tgz"];
  const text = isText ? withBasePath(content.toString(), basePath) : "";
  const showsUrl = text.includes(baseUrlMarker);
  const body = isText ? Buffer.from(text.replaceAll(baseUrlMarker, defaultOrigin + basePath)) : content;
  let compressed: Promise<Buffer> | undefined;
  return {
    contentType,
    headers: {
      // The paths of assets have a hash of their content.
      "cache-control": path.startsWith("docs/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
      "content-security-policy": policyOf(path),
      ...(path.startsWith("docs/downloads/") && { "content-disposition": "attachment" }),
    },
    body,
    etag: etagOf(body),
    text: showsUrl ? text : undefined,
    compressed: isText ? () => (compressed ??= compress(body)) : undefined,
  };
}

/** The server of an OpenAPI document has no empty URL. */
function withBasePath(text: string, basePath: string): string {
  return text
    .replaceAll(`"url":"${basePathMarker}"`, `"url":"${basePath === "" ? "/" : basePath}"`)
    .replaceAll(basePathMarker, basePath);
}

/** Adds the documentation of the operations under a base path. */
export function addDocs(app: FastifyInstance, basePath: string): void {
  for (const [url, file] of readSite(basePath)) {
    app.route({
      method: ["GET", "HEAD"],
      url,
      handler: (request, reply) => send(request, reply, fileAt(originOf(request), basePath, file)),
    });
  }
  const toDocs = (status: number) => (request: FastifyRequest, reply: FastifyReply) =>
    reply.header("x-request-id", request.id).redirect(`${basePath}/docs`, status);
  app.get(`${basePath}/docs/`, toDocs(308));
  // For people who open the address of the service or of its API.
  for (const path of new Set(["/", "/docs", basePath, `${basePath}/`])) {
    if (path !== "" && path !== `${basePath}/docs`) app.get(path, toDocs(302));
  }
}

/** The file with the URL by which the caller reaches the service, if it shows that. */
function fileAt(origin: string | undefined, basePath: string, file: SiteFile): SiteFile {
  if (file.text === undefined || origin === undefined) return file;
  const body = Buffer.from(file.text.replaceAll(baseUrlMarker, origin + basePath));
  // Not compressed: anyone can send another Host with each request.
  return { ...file, body, etag: etagOf(body), compressed: undefined };
}

/**
 * The origin by which the caller reaches the service: as a trusted proxy says, or by the Host header. A Host
 * that is not an address is never shown on a page.
 */
function originOf({ host, protocol }: FastifyRequest): string | undefined {
  const address = /^(?:[\w-]+(?:\.[\w-]+)*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
  if (!/^https?$/.test(protocol) || host === undefined || host.length > 255 || !address.test(host))
    return undefined;
  return `${protocol}://${host.toLowerCase()}`;
}

const compress = promisify(gzip);

/** Weak: the body may be sent compressed or not. */
function etagOf(body: Buffer): string {
  return `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
}

async function send(request: FastifyRequest, reply: FastifyReply, file: SiteFile): Promise<FastifyReply> {
  reply.headers({
    ...file.headers,
    "content-type": file.contentType,
    etag: file.etag,
    "referrer-policy": "no-referrer",
    vary: "accept-encoding",
    "x-content-type-options": "nosniff",
    "x-request-id": request.id,
  });
  const known = request.headers["if-none-match"]?.split(",").map((tag) => tag.trim());
  if (known?.includes(file.etag) || known?.includes("*")) return reply.code(304).send();
  const accepts = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
  if (!accepts || file.compressed === undefined) return reply.send(file.body);
  return reply.header("content-encoding", "gzip").send(await file.compressed());
}

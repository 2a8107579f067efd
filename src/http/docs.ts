/** Serves the documentation: pages, their parts and the OpenAPI document, by GET, outside the operations. */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createSite, type SiteFile } from "../documents/site.ts";

interface Served extends SiteFile {
  readonly etag: string;
  /** Compressed once, when it is first asked for. */
  readonly compressed: Promise<Buffer>;
}

// Nothing comes from another host, nothing is inline, and no page can be framed. Only the references send requests.
const own =
  "script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const policies: Record<SiteFile["policy"], string> = {
  none: "default-src 'none'; frame-ancestors 'none'",
  guide: `default-src 'none'; ${own}`,
  reference: `default-src 'none'; connect-src 'self'; ${own}`,
};

/**
 * Adds the documentation of the operations under a base path. It is made when first asked for: a service that nobody
 * reads about spends nothing on it.
 */
export function addDocs(app: FastifyInstance, basePath: string): void {
  let site: ReadonlyMap<string, Served> | undefined;
  const respond = (request: FastifyRequest, reply: FastifyReply) => {
    site ??= new Map([...createSite(basePath)].map(([path, file]) => [path, serve(file)]));
    const file = site.get(request.url.split("?", 1)[0] as string);
    if (file === undefined) return reply.callNotFound();
    const origin = originOf(request);
    if (file.bodyAt === undefined || origin === undefined) return send(request, reply, file);
    // Not compressed: anyone can send another Host with each request.
    const body = file.bodyAt(origin);
    return send(request, reply, { ...file, body, etag: etagOf(body), compressed: undefined });
  };
  const folders = ["/docs/guides/:name", "/docs/downloads/:name", "/docs/assets/:name"];
  const paths = ["/openapi.json", "/docs", "/op/docs", "/docs/guides", ...folders];
  for (const path of paths) app.route({ method: ["GET", "HEAD"], url: basePath + path, handler: respond });
  const toDocs = (status: number) => (request: FastifyRequest, reply: FastifyReply) =>
    reply.header("x-request-id", request.id).redirect(`${basePath}/docs`, status);
  app.get(`${basePath}/docs/`, toDocs(308));
  // For people who open the address of the service or of its API.
  for (const path of new Set(["/", "/docs", basePath, `${basePath}/`])) {
    if (path !== "" && path !== `${basePath}/docs`) app.get(path, toDocs(302));
  }
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

function serve(file: SiteFile): Served {
  let compressed: Promise<Buffer> | undefined;
  return {
    ...file,
    etag: etagOf(file.body),
    get compressed() {
      compressed ??= compress(file.body);
      return compressed;
    },
  };
}

/** Weak: the body may be sent compressed or not. */
function etagOf(body: Buffer): string {
  return `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
}

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  file: Omit<Served, "compressed"> & { readonly compressed: Promise<Buffer> | undefined },
): Promise<FastifyReply> {
  reply.headers({
    "cache-control": file.immutable ? "public, max-age=31536000, immutable" : "no-cache",
    "content-security-policy": policies[file.policy],
    "content-type": file.contentType,
    etag: file.etag,
    "referrer-policy": "no-referrer",
    vary: "accept-encoding",
    "x-content-type-options": "nosniff",
    "x-request-id": request.id,
  });
  if (file.download) reply.header("content-disposition", "attachment");
  const known = request.headers["if-none-match"]?.split(",").map((tag) => tag.trim());
  if (known?.includes(file.etag) || known?.includes("*")) return reply.code(304).send();
  const isCompressed = file.contentType === "application/gzip";
  const accepts = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
  if (isCompressed || !accepts || file.compressed === undefined) return reply.send(file.body);
  return reply.header("content-encoding", "gzip").send(await file.compressed);
}

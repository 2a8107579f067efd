/** Files that partners can download: the client as a package, the Postman collection and its environment. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../package.ts";
import type { JsonObject } from "./json.ts";
import { toFile } from "./json.ts";
import { postmanCollection, postmanEnvironment } from "./postman.ts";
import { packed } from "./tarball.ts";

export interface Download {
  /** The file's name, and the last segment of its path. */
  readonly name: string;
  readonly contentType: string;
  readonly body: Buffer;
}

const clientFolder = join(packageRoot, "packages/sdk");

/**
 * All downloads.
 * @param document of the partner operations
 * @param baseUrl where the service lies
 */
export function makeDownloads(document: JsonObject, baseUrl: string): Download[] {
  const json = (name: string, content: JsonObject): Download => ({
    ...{ name, contentType: "application/json; charset=utf-8", body: Buffer.from(toFile(content)) },
  });
  return [
    json("loyalty.postman_collection.json", postmanCollection(document)),
    json("loyalty.postman_environment.json", postmanEnvironment(baseUrl)),
    { name: "loyalty-sdk.tgz", contentType: "application/gzip", body: packedClient() },
  ];
}

/** The client as `npm pack` packs it. */
function packedClient(): Buffer {
  const folder = join(clientFolder, "dist");
  const compiled = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" })
        .map((path) => `dist/${path.replaceAll("\\", "/")}`)
        .filter((path) => /\.js$|\.d\.ts$/.test(path))
    : [];
  const paths = ["LICENSE", "README.md", "package.json", ...compiled].sort();
  return packed(paths.map((path) => [path, readFileSync(join(clientFolder, path))]));
}

/** The documents that are kept in the repository, under docs/api. */
import { toFile } from "./json.ts";
import { openApiDocument } from "./openapi.ts";
import { postmanCollection, postmanEnvironment } from "./postman.ts";

/** Where the service lies unless it is configured otherwise. */
const basePath = "/api";
const baseUrl = `http://127.0.0.1:8080${basePath}`;

/** Paths from the root of the repository, and what the files there hold. */
export function apiFiles(): [path: string, content: string][] {
  const partner = openApiDocument("partner", basePath);
  return [
    ["docs/api/openapi.json", toFile(partner)],
    ["docs/api/operator-openapi.json", toFile(openApiDocument("operator", basePath))],
    ["docs/api/loyalty.postman_collection.json", toFile(postmanCollection(partner))],
    ["docs/api/loyalty.postman_environment.json", toFile(postmanEnvironment(baseUrl))],
  ];
}

/**
 * The documentation that the service serves, as files: pages, their parts, the OpenAPI document and the client.
 * `npm run build` writes them to dist/site. A file lies at its path below the base path; pages end in `.html`.
 */
import { basePathMarker, baseUrlMarker, missingPageFile } from "../../src/http/docs.ts";
import { packedClient } from "./downloads.ts";
import { readGuides } from "./guides.ts";
import { openApiDocument } from "./openapi.ts";
import { guidePage, guidesPage, missingPage, referencePage, type Site } from "./pages.ts";
import { assets } from "./paths.ts";
import { searchIndex } from "./search.ts";

/** Where the guides' files say that the service lies. */
const shownBaseUrl = "http://127.0.0.1:8080/api";

/** Makes all files. @returns their content by path; markers stand for the base path and the base URL */
export function siteFiles(): [path: string, content: string | Buffer][] {
  const guides = readGuides();
  const indexes = { partner: searchIndex("partner", guides), operator: searchIndex("operator", guides) };
  const site: Site = { guides, indexes };
  return [
    ...[...assets, ...Object.values(indexes)].map(({ file, content }): [string, string] => [file, content]),
    ["docs.html", referencePage("partner", site)],
    ["op/docs.html", referencePage("operator", site)],
    ["docs/guides.html", guidesPage(site)],
    ...guides.map((guide): [string, string] => {
      const html = guidePage(site, guide).replaceAll(shownBaseUrl, baseUrlMarker);
      return [`docs/guides/${guide.name}.html`, html];
    }),
    [missingPageFile, missingPage(site)],
    ["openapi.json", JSON.stringify(openApiDocument("partner", basePathMarker))],
    ["op/openapi.json", JSON.stringify(openApiDocument("operator", basePathMarker))],
    ["docs/downloads/loyalty-sdk.tgz", packedClient()],
  ];
}

/**
 * The documentation that the service serves, as files: pages, their parts, the OpenAPI document and downloads.
 * `npm run build` writes them to dist/site. A file lies at its path below the base path; pages end in `.html`.
 */
import { basePathMarker, baseUrlMarker } from "../../src/http/docs.ts";
import { makeDownloads } from "./downloads.ts";
import { readGuides } from "./guides.ts";
import { openApiDocument } from "./openapi.ts";
import { guidePage, guidesPage, referencePage } from "./pages.ts";
import { assets } from "./paths.ts";

/** Where the guides' files say that the service lies. */
const shownBaseUrl = "http://127.0.0.1:8080/api";

/** Makes all files. @returns their content by path; markers stand for the base path and the base URL */
export function siteFiles(): [path: string, content: string | Buffer][] {
  const guides = readGuides();
  return [
    ...assets.map(({ file, content }): [string, Buffer] => [file, content]),
    ["docs.html", referencePage("partner", guides)],
    ["op/docs.html", referencePage("operator", guides)],
    ["docs/guides.html", guidesPage(guides)],
    ...guides.map((guide): [string, string] => {
      const html = guidePage(guides, guide).replaceAll(shownBaseUrl, baseUrlMarker);
      return [`docs/guides/${guide.name}.html`, html];
    }),
    ["openapi.json", JSON.stringify(openApiDocument("partner", basePathMarker))],
    ...makeDownloads(baseUrlMarker).map(([name, content]): [string, string | Buffer] => [
      `docs/downloads/${name}`,
      content,
    ]),
  ];
}

/** The documentation that the service serves: the sources of the pages, which VitePress builds, and other files. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { basePathMarker } from "../../src/http/docs.ts";
import { packageRoot } from "../../src/package.ts";
import { readDocuments } from "./documents.ts";
import { operatorErrors } from "./guide-tables.ts";
import { guidesPage, menus, pageOfOperation } from "./menu.ts";
import { type Audience, audiences, openApiDocument } from "./openapi.ts";
import { movedTo, operationPage, referencePage } from "./operation-page.ts";

type File = [path: string, content: string | Buffer];

/** The sources of the pages, and their menus in menus.json. */
export function pageSources(): File[] {
  const documents = readDocuments();
  const own = (path: string) => readFileSync(join(packageRoot, path), "utf8");
  const pagesOf = (audience: Audience): File[] =>
    audiences[audience].operations.map((operation) => [
      `${pageOfOperation(operation)}.md`,
      operationPage(operation, audience, documents),
    ]);
  return [
    ["guides/index.md", guidesPage(documents)],
    ["reference/index.md", referencePage("partner")],
    ["op/index.md", referencePage("operator")],
    ...pagesOf("partner"),
    ...pagesOf("operator"),
    ["operators/errors.md", operatorErrors()],
    ...documents.map(({ page, markdown }): File => [`${page}.md`, withMoved(markdown)]),
    ["operators/images/performance.svg", own("docs/images/performance.svg")],
    ["public/icon.svg", own("docs/pages/icon.svg")],
    ["menus.json", JSON.stringify(menus(documents))],
  ];
}

/** The first page leads to what had an anchor there. */
const withMoved = (markdown: string) =>
  markdown.replace("\nmoved: {}\n", `\nmoved: ${JSON.stringify(movedTo("partner"))}\n`);

/** The client as a package. npm makes the same bytes of the same files. */
function packedClient(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "loyalty-package-"));
  execFileSync("npm", ["pack", "--silent", "--offline", "--pack-destination", folder], {
    cwd: join(packageRoot, "packages/sdk"),
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [name = ""] = readdirSync(folder);
  const content = readFileSync(join(folder, name));
  rmSync(folder, { recursive: true });
  return content;
}

/** The files beside the pages. A file lies at its path below the base path, and markers stand for the base path. */
export function otherFiles(): File[] {
  return [
    ["openapi.json", JSON.stringify(openApiDocument("partner", basePathMarker))],
    ["op/openapi.json", JSON.stringify(openApiDocument("operator", basePathMarker))],
    ["docs/downloads/loyalty-sdk.tgz", packedClient()],
  ];
}

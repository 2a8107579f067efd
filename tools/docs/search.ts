/** What the search of the pages looks through: every operation with its fields, and every section of the guides. */
import { marked } from "marked";
import { bodyOf, errorsOf, type Operation } from "../../src/contract/operation.ts";
import { fieldsOf } from "./fields.ts";
import type { Guide } from "./guides.ts";
import { operationId, tagOf } from "./names.ts";
import { type Audience, audiences, describe } from "./openapi.ts";
import { type Asset, assetOf } from "./paths.ts";

/** A place that a search can find. The URL is below the base path. */
type Entry = readonly [title: string, place: string, url: string, text: string];

/** The index of one audience as a script, which pages load when somebody searches. */
export function searchIndex(audience: Audience, guides: readonly Guide[]): Asset {
  const page = audience === "partner" ? "/docs" : "/op/docs";
  const entries = [
    ...audiences[audience].operations.map((operation) => operationEntry(operation, page)),
    ...guides.flatMap(guideEntries),
  ];
  const lines = entries.map((entry) => JSON.stringify(entry)).join(",\n");
  return assetOf(`search-${audience}.js`, `export default [\n${lines}\n];\n`);
}

function operationEntry(operation: Operation, page: string): Entry {
  const fields = [...fieldsOf(bodyOf(operation)), ...fieldsOf(operation.output)].map(
    ({ path, description }) => `${path}: ${plainText(description)}`,
  );
  const text = [
    plainText(describe(operation)),
    tagOf(operation).name,
    ...new Set(fields),
    ...errorsOf(operation),
  ];
  return [operation.summary, operation.path, `${page}#${operationId(operation)}`, text.join(" ")];
}

/** The beginning of a guide, and each part with a heading. */
function guideEntries({ name, title, html }: Guide): Entry[] {
  const [beginning = "", ...sections] = html.split(/(?=<h[23] id=)/);
  const url = `/docs/guides/${name}`;
  return [
    [title, "Guide", url, withoutTags(beginning.replace(/<h1.*?<\/h1>/, ""))],
    ...sections.map((section): Entry => {
      const [heading = "", , id = "", content = ""] =
        /^<h([23]) id="([^"]*)">(.*?)<\/h\1>/.exec(section) ?? [];
      return [withoutTags(content), title, `${url}#${id}`, withoutTags(section.slice(heading.length))];
    }),
  ];
}

const plainText = (markdown: string) => withoutTags(marked.parse(markdown, { async: false }));

function withoutTags(html: string): string {
  return html
    .replaceAll(/<\/?(?:a|code|em|span|strong)\b[^>]*>/g, "")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ")
    .trim();
}

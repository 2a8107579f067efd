/** What a form changes, as the rules that the service can preview. */
import { addPreviews, type Preview, withWorth } from "../../../../../src/domain/engine/preview.ts";
import { type DataOf, everyPart, type RequestOf, reads, type WritePath } from "../../api/index.ts";

type Change = Readonly<Record<string, unknown>>;

const { business_id: _, ...previewed } = reads["/op/rules/preview"].input;

/** @returns undefined if there is nothing to preview */
export function changedRules(path: WritePath, change: Change): Change | undefined {
  // Nobody reaches a tier without sales.
  if (path === "/op/tiers/create" && typeof change.qualifying_sales !== "number") return undefined;
  // The preview has new and changed records. Others change settings, which it has by the same names.
  const [, , records = "", step] = path.split("/");
  const wanted = step === "create" ? `new_${records}` : records;
  const part = Object.keys(previewed).find((name) => wanted.startsWith(name)) ?? "";
  const { items, properties: fields = items?.properties ?? previewed } = previewed[part] ?? {};
  const found = Object.entries(change).filter(([name]) => name in fields);
  // The number of a record that is changed says only which one it is.
  if (found.every(([name]) => name === `${part.slice(0, -1)}_id`)) return undefined;
  const rules = Object.fromEntries(found);
  return part ? { [part]: items ? [rules] : rules } : rules;
}

type Part = DataOf<"/op/rules/preview">;
export type Comparison = Pick<Part, "sales" | "current" | "proposed" | "gains" | "losses" | "new_promotions">;

const membersAtOnce = 10_000;

type Asked = RequestOf<"/op/rules/preview">;

export async function compareRules(request: Asked, signal: AbortSignal): Promise<Comparison> {
  const parts: Part[] = [];
  const asked = { ...request, limit: membersAtOnce };
  for await (const { data } of everyPart("/op/rules/preview", asked, signal)) parts.push(data);
  const [data] = parts as [Part];
  const sum = (parts as readonly Preview[]).reduce(addPreviews);
  const sides = {
    current: withWorth(sum.current, data.current),
    proposed: withWorth(sum.proposed, data.proposed),
  };
  return { ...sum, ...sides } as Comparison;
}

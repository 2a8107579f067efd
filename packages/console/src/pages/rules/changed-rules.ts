/** What a form changes, as the rules that the service can preview. */
import {
  addPreviews,
  type OutcomeWithTiers,
  type Preview,
} from "../../../../../src/domain/engine/preview.ts";
import { worthOf } from "../../../../../src/domain/engine/rules.ts";
import { declarationOf, type Fields, type WritePath } from "../../api/declarations.ts";
import { type DataOf, everyPart, type RequestOf } from "../../api/index.ts";

type Change = Readonly<Record<string, unknown>>;

const { business_id: _, ...previewed } = declarationOf("/op/rules/preview").input;
const partsOf = (list: string): Fields =>
  previewed[list]?.items?.properties ?? previewed[list]?.properties ?? {};

/** The fields of a change that a preview has, besides those that only say which record it is; undefined if there is none. */
function pick(fields: Fields, change: Change, names: readonly string[] = []): Change | undefined {
  const found = Object.entries(change).filter(([name]) => name in fields);
  return found.some(([name]) => !names.includes(name)) ? Object.fromEntries(found) : undefined;
}

const inList = (list: string, item: Change | undefined) => item && { [list]: [item] };

/** By the operation that saves the change. Other operations change settings, which a preview has by the same names. */
const rulesOf: Readonly<Record<string, ((change: Change) => Change | undefined) | undefined>> = {
  // Nobody reaches a tier without sales.
  "/op/tiers/create": (tier) =>
    typeof tier.qualifying_sales === "number"
      ? inList("new_tiers", pick(partsOf("new_tiers"), tier))
      : undefined,
  "/op/tiers/update": (tier) => inList("tiers", pick(partsOf("tiers"), tier, ["tier_id"])),
  "/op/programs/create": (program) => {
    const rate = pick(partsOf("new_program"), program);
    return rate && { new_program: rate };
  },
  "/op/promotions/create": (one) => inList("new_promotions", pick(partsOf("new_promotions"), one)),
  "/op/programs/update": (program) => inList("programs", pick(partsOf("programs"), program, ["program_id"])),
};

/** @returns undefined if there is nothing to preview */
export const changedRules = (path: WritePath, change: Change): Change | undefined =>
  rulesOf[path] === undefined ? pick(previewed, change) : rulesOf[path](change);

type Part = DataOf<"/op/rules/preview">;
type Side = Part["current"];
export type Comparison = Pick<Part, "sales" | "current" | "proposed" | "gains" | "losses" | "new_promotions">;

const membersAtOnce = 10_000;

type Asked = RequestOf<"/op/rules/preview">;

export async function compareRules(request: Asked, signal: AbortSignal): Promise<Comparison> {
  const parts: Part[] = [];
  const asked = { ...request, limit: membersAtOnce };
  for await (const { data } of everyPart("/op/rules/preview", asked, signal)) parts.push(data);
  const [data] = parts as [Part];
  const sum = (parts as readonly Preview[]).reduce(addPreviews);
  // The service rounds the worth of each part down, so it is not the sum of the parts.
  const sideOf = (of: Side, to: OutcomeWithTiers) => ({
    ...of,
    ...to,
    points_amount: worthOf(of, to.points),
  });
  const sides = { current: sideOf(data.current, sum.current), proposed: sideOf(data.proposed, sum.proposed) };
  return { ...sum, ...sides } as Comparison;
}

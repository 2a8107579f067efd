/** What a form changes, as the rules that the service can preview. */
import { declarationOf, type Fields, type WritePath } from "../../api/declarations.ts";
import { call, type DataOf, type RequestOf } from "../../api/index.ts";

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
  "/op/programs/update": (program) => inList("programs", pick(partsOf("programs"), program, ["program_id"])),
};

/** @returns undefined if there is nothing to preview */
export function changedRules(path: WritePath, change: Change): Change | undefined {
  return rulesOf[path] === undefined ? pick(previewed, change) : rulesOf[path](change);
}

type Part = DataOf<"/op/rules/preview">;
export type Affected = Part["gains"][number];
type Side = Part["current"];
export type Comparison = Pick<Part, "sales" | "current" | "proposed" | "gains" | "losses">;

const membersAtOnce = 10_000;
const mostAffected = 10;

type Asked = RequestOf<"/op/rules/preview">;

export async function compareRules(request: Asked, signal: AbortSignal): Promise<Comparison> {
  const asked = { ...request, limit: membersAtOnce };
  let { data } = await call("/op/rules/preview", asked, { signal });
  let sum: Comparison = data;
  while (data.next !== null) {
    ({ data } = await call("/op/rules/preview", { ...asked, after: data.next }, { signal }));
    sum = added(sum, data);
  }
  return sum;
}

/** A tier that would be added has only a name, and members without a tier have neither. */
export const keyOf = ({ tier_id, name }: Side["members_by_tier"][number]) => `${tier_id} ${name}`;

function added(one: Comparison, other: Comparison): Comparison {
  return {
    sales: one.sales + other.sales,
    current: addedSide(one.current, other.current),
    proposed: addedSide(one.proposed, other.proposed),
    gains: mostOf([...one.gains, ...other.gains]),
    losses: mostOf([...one.losses, ...other.losses]),
  };
}

/** What points are worth at most by some rules. */
export function worthOf({ value_points, value_amount }: Side, points: number): number {
  return Math.floor(points / value_points) * value_amount;
}

function addedSide(one: Side, other: Side): Side {
  const points = one.points + other.points;
  const tiers = new Map(one.members_by_tier.map((tier) => [keyOf(tier), tier]));
  for (const tier of other.members_by_tier) {
    const members = tier.members + (tiers.get(keyOf(tier))?.members ?? 0);
    tiers.set(keyOf(tier), { ...tier, members });
  }
  return {
    ...other,
    points,
    // The service rounds the worth of each part down, so it is not the sum of the parts.
    points_amount: worthOf(other, points),
    capped_sales: one.capped_sales + other.capped_sales,
    points_over_maximum: one.points_over_maximum + other.points_over_maximum,
    members_by_tier: [...tiers.values()],
  };
}

function mostOf(members: readonly Affected[]): Affected[] {
  return members
    .toSorted((one, other) => Math.abs(other.difference) - Math.abs(one.difference))
    .slice(0, mostAffected);
}

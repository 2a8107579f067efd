import { setTimeout as sleep } from "node:timers/promises";
import {
  type FieldError,
  fieldError,
  fields,
  Rejection,
  readOperation,
  reject,
  type Static,
  Type,
  wrongValue,
} from "../../../contract/declare.ts";
import { programs, vouchers } from "../../../database/catalog.ts";
import type { Connection } from "../../../database/connection.ts";
import {
  findActiveMembers,
  listPromotionFacts,
  listSalesDays,
  listTiersByHand,
  type MemberRange,
  readSalesToPreview,
} from "../../../database/engine/preview.ts";
import { findCurrentRules } from "../../../database/engine/rules.ts";
import { findRangeEnd, inSlice, planForAnyValues } from "../../../database/verify/ledger.ts";
import {
  addPreviews,
  MemberPreview,
  type OutcomeWithTiers,
  type Preview,
  previewOfOthers,
  type RulesToCompare,
} from "../../../domain/engine/preview.ts";
import type { EarningProgram, Promotion, Rules } from "../../../domain/engine/rules.ts";
import { tierOf } from "../../../domain/engine/standing.ts";
import { worthOf } from "../../../domain/engine/worth.ts";
import { balanceLimit } from "../../../domain/ledger.ts";
import type { SalesDay, TierStanding } from "../../../domain/records.ts";
import { problemsOfNamed } from "../../promotions/named-by-promotions.ts";
import { promotionProblems } from "../../promotions/promotion-problems.ts";
import { problemsOfPrograms } from "../../promotions/promotion-programs.ts";
import { newPromotion, previewedPromotionFields } from "../../promotions/promotions.ts";
import { noRate, pick } from "../../records.ts";
import {
  newProgram,
  newTier,
  previewedSettings,
  previewPart,
  programChange,
  tierChange,
} from "../../rules/preview.ts";
import { checkRates, ratedFields } from "../../rules/program-rates.ts";

const input = {
  business_id: fields.businessId,
  from: fields.day("The first day of the sales."),
  through: Type.Optional(
    fields.day("The last day of the sales; without it, all sales from the first day on."),
  ),
  ...previewedSettings,
  programs: Type.Optional(
    Type.Array(programChange, {
      minItems: 1,
      maxItems: 100,
      description: "Other rates and maximums of reward programs. Fields that you omit stay as they are.",
    }),
  ),
  tiers: Type.Optional(
    Type.Array(tierChange, {
      minItems: 1,
      maxItems: 100,
      description:
        "Other sales that tiers need, validities and programs. Fields that you omit stay as they are.",
    }),
  ),
  new_program: Type.Optional(newProgram),
  new_tiers: Type.Optional(
    Type.Array(newTier, { minItems: 1, maxItems: 100, description: "Tiers that would be added." }),
  ),
  new_promotions: Type.Optional(
    Type.Array(Type.Object(previewedPromotionFields, { additionalProperties: false }), {
      minItems: 1,
      maxItems: 20,
      description: "Promotions that would be added.",
    }),
  ),
  after: fields.wholeOr(0, 0, balanceLimit, "The beginning of the part: next from the previous response."),
  limit: Type.Optional(fields.whole(1, 10_000, "How many members at most.", 5000)),
};

export const previewRules = readOperation({
  path: "/op/rules/preview",
  role: "manager",
  summary: "Preview other rules",
  message: "Other rules previewed.",
  description:
    "Calculates what other rules would have given on the recorded sales of a period, and what today's rules would have " +
    "given. Nothing is changed. Settings that you omit are those of today. Refunds lower what a sale gives. The preview " +
    "does not know how members would have acted with the other rules: the sales and the points that paid for them stay as " +
    "they were. It leaves out sales that were imported without points, the dates of points, and points that were given by " +
    "hand. Promotions that would be added act on top of those that gave something, without their budgets; those that count lines " +
    "can't act on sales that were recorded without. The tiers of members follow from all their sales, also earlier ones, as if the rules had always been in force and " +
    "refunds had been made at once; members keep the tiers that they have by hand now. The response is about some members, " +
    "a few thousand at a time: repeat the request with next as after until it is null, and add up the numbers. Each part is " +
    "read in one snapshot.",
  input,
  output: previewPart,
  onlyOneOf: ["default_program_id", "new_program"],
  errors: ["program_not_found", "tier_not_found", "validation_failed"],
  maximumFields: ratedFields,
  check: ({ from, through, programs = [], tiers = [], new_program = {} }, context) => [
    ...(from !== undefined && through !== undefined && through < from
      ? [fieldError("through", "out_of_range", "must not be before from")]
      : []),
    ...programs.flatMap((one, index) => checkRates(one, context, `programs.${index}.`)),
    ...checkRates(new_program, context, "new_program."),
    ...namedTwice(
      "programs",
      "program_id",
      programs.map(({ program_id }) => program_id),
    ),
    ...namedTwice(
      "tiers",
      "tier_id",
      tiers.map(({ tier_id }) => tier_id),
    ),
  ],
  read: ({ services, caller: { businessId }, input }) =>
    inSlice(services.longRunning, async (tx) => {
      await planForAnyValues(tx);
      const rules = await findRulesToCompare(tx, businessId, input);
      return rules instanceof Rejection ? rules : previewMembers(tx, businessId, input, rules);
    }),
});

type Input = Static<Type.TObject<typeof input>>;

const withoutWords = ({ promotion_id, name }: Promotion) => ({ promotion_id, name, words: 0 });

/** The promotions that would be added. They have negative numbers, in the order of the request. */
async function promotionsOf(
  tx: Connection,
  businessId: number,
  { new_promotions = [] }: Input,
  proposed: Pick<Rules, "program" | "tiers">,
) {
  const promotions = await Promise.all(
    new_promotions.map(async (given, index) => {
      const { voucher_id = null } = given;
      const voucher = voucher_id === null ? undefined : await vouchers.find(tx, businessId, voucher_id);
      return { ...newPromotion, ...given, promotion_id: -1 - index, voucher: voucher ?? null };
    }),
  );
  const errors: FieldError[] = [];
  for (const [index, one] of promotions.entries()) {
    const problems = [
      ...promotionProblems(one, promotions.slice(0, index).map(withoutWords)),
      ...(await problemsOfNamed(tx, businessId, one)),
      ...problemsOfPrograms(one, proposed),
    ];
    const path = `new_promotions.${index}`;
    for (const { field, message, code } of problems)
      errors.push({ field: `${path}.${field}`, message: `${path}.${message}`, code });
  }
  return errors.length > 0 ? reject("validation_failed", { errors }) : promotions;
}

function namedTwice(list: string, id: string, ids: readonly number[]) {
  return ids.flatMap((one, index) =>
    ids.indexOf(one) === index ? [] : [wrongValue(`${list}.${index}.${id}`, "is named twice")],
  );
}

/** Today's rules, and these with the changes of the request. */
async function findRulesToCompare(tx: Connection, businessId: number, input: Input) {
  const current = await findCurrentRules(tx, businessId);
  const { programs: rates = [], tiers: changes = [], new_program, new_tiers = [] } = input;
  const { default_program_id = current.program?.program_id ?? null, ...changed } = pick(
    input,
    Type.Object(previewedSettings),
  );
  const noTiers = changes.map(({ tier_id }) => tier_id).filter((id) => tierOf(current, id) === undefined);
  if (noTiers.length > 0) return reject("tier_not_found", { tier_ids: noTiers });
  const changedTiers = current.tiers.map((tier) => {
    const { program_id = tier.program?.program_id ?? null, ...change } =
      changes.find(({ tier_id }) => tier_id === tier.tier_id) ?? {};
    return { ...tier, ...change, program_id };
  });
  // A tier that does not exist has a number that no tier has.
  const tiers = [
    ...changedTiers,
    ...new_tiers.map((tier, index) => ({
      qualifying_sales: null,
      program_id: null,
      ...tier,
      tier_id: -1 - index,
    })),
  ];
  const named = [
    default_program_id,
    ...rates.map(({ program_id }) => program_id),
    ...tiers.map(({ program_id }) => program_id),
  ];
  const ids = [...new Set(named)].filter((id) => id !== null);
  const rows = await Promise.all(ids.map((id) => programs.find(tx, businessId, id)));
  const program_ids = ids.filter((_, nth) => rows[nth] === undefined);
  if (program_ids.length > 0) return reject("program_not_found", { program_ids });
  const programOf = (id: number | null): EarningProgram | null => {
    const row = rows.find((one) => one?.program_id === id);
    return row === undefined ? null : { ...row, ...rates.find(({ program_id }) => program_id === id) };
  };
  const errors = sameSales({ tiers: changes, new_tiers }, tiers);
  if (errors.length > 0) return reject("validation_failed", { errors });
  const program =
    new_program === undefined
      ? programOf(default_program_id)
      : { program_id: 0, membership_name: "", ...noRate, ...new_program };
  const proposed: Rules = {
    ...current,
    ...changed,
    program,
    tiers: tiers.map(({ program_id, ...tier }) => ({ ...tier, program: programOf(program_id) })),
  };
  const promotions = await promotionsOf(tx, businessId, input, proposed);
  return promotions instanceof Rejection ? promotions : { current, proposed, promotions };
}

type NeededSales = { readonly qualifying_sales?: number | null };

/** Rejects sales that two tiers would need. @param lists the lists of the request @param tiers all tiers */
function sameSales(lists: Readonly<Record<string, readonly NeededSales[]>>, tiers: readonly NeededSales[]) {
  const needed = tiers.map(({ qualifying_sales }) => qualifying_sales);
  return Object.entries(lists).flatMap(([list, changes]) =>
    changes.flatMap(({ qualifying_sales: own }, index) =>
      own != null && needed.filter((sales) => sales === own).length > 1
        ? [wrongValue(`${list}.${index}.qualifying_sales`, "must differ from that of other tiers")]
        : [],
    ),
  );
}

/** About how many ledger entries the members of a part have, so that a response takes a second or two. */
const entriesOfPart = 40_000;

/** A member with a million sales is read without pauses at the end, so that the response keeps its time limit. */
const pausesWithinMilliseconds = 10_000;

async function previewMembers(tx: Connection, businessId: number, input: Input, rules: RulesToCompare) {
  const { from, after = 0, limit = 5000 } = input;
  const begunAt = performance.now();
  let startedAt = begunAt;
  const last = await findRangeEnd(tx, businessId, after, { members: limit, entries: entriesOfPart });
  const range = { after, last };
  const { active, inactive, today } = await findActiveMembers(tx, businessId, range);
  const through = input.through === undefined || input.through > today ? today : input.through;
  const left = await readTiers(tx, businessId, range, rules, through);
  const asks = rules.promotions.some(({ member }) => member !== "any");
  const known = asks ? await listPromotionFacts(tx, businessId, range, from) : [];
  const factsOf = new Map(known.map(({ contact_id, ...facts }) => [contact_id, facts]));
  const isInactive = new Set(inactive);
  const begin = (contact_id: number) => {
    const { days = [], byHand } = left.get(contact_id) ?? {};
    left.delete(contact_id);
    const facts = factsOf.get(contact_id) ?? null;
    return new MemberPreview({ contact_id, active: !isInactive.has(contact_id), days, byHand, facts }, rules);
  };
  let sum = previewOfOthers(0, rules);
  let member: MemberPreview | undefined;
  const end = () => {
    if (member !== undefined) sum = addPreviews(sum, member.result(through));
  };
  for await (const sales of readSalesToPreview(tx, businessId, range, { from, through })) {
    for (const sale of sales) {
      if (member?.member.contact_id !== sale.contact_id) {
        end();
        member = begin(sale.contact_id);
      }
      member.add(sale);
    }
    // Requests of others get half of the time. Without this, adjustments meanwhile fall to a third of their rate.
    if (performance.now() - begunAt < pausesWithinMilliseconds) await sleep(performance.now() - startedAt);
    startedAt = performance.now();
  }
  end();
  for (const contact_id of left.keys()) sum = addPreviews(sum, begin(contact_id).result(through));
  sum = addPreviews(sum, previewOfOthers(active - sum.members, rules));
  return { ...shown(sum, rules), next: last };
}

/** Reads what decides the tiers of members: the sales of their days, and the tiers that they have by hand. */
async function readTiers(
  tx: Connection,
  businessId: number,
  range: MemberRange,
  { current, proposed }: RulesToCompare,
  through: string,
) {
  const found = new Map<number, { days: SalesDay[]; byHand?: TierStanding }>();
  const of = (contactId: number) => {
    const known = found.get(contactId) ?? { days: [] };
    found.set(contactId, known);
    return known;
  };
  const tiers = [...current.tiers, ...proposed.tiers];
  if (tiers.length === 0) return found;
  for (const { contact_id, ...standing } of await listTiersByHand(tx, businessId, range)) {
    of(contact_id).byHand = standing;
  }
  if (tiers.every(({ qualifying_sales }) => qualifying_sales === null)) return found;
  for (const { contact_id, day, net } of await listSalesDays(tx, businessId, range, through)) {
    of(contact_id).days.push({ day, net });
  }
  return found;
}

/** A preview as the response shows it. */
function shown({ gains, losses, ...sum }: Preview, { current, proposed }: RulesToCompare) {
  const hasTiers = sum.proposed.members_by_tier.length > 0;
  const side = (outcome: OutcomeWithTiers, { value_points, value_amount, tiers }: Rules) => ({
    ...outcome,
    members_by_tier:
      tiers.length === 0 && hasTiers
        ? [{ tier_id: null, name: null, members: sum.members }]
        : outcome.members_by_tier.map(({ tier_id, ...tier }) => ({
            tier_id: tier_id !== null && tier_id < 0 ? null : tier_id,
            ...tier,
          })),
    points_amount: worthOf({ value_points, value_amount }, outcome.points),
    value_points,
    value_amount,
  });
  return {
    version: current.version,
    ...sum,
    current: side(sum.current, current),
    proposed: side(sum.proposed, proposed),
    gains: [...gains],
    losses: [...losses],
    new_promotions: [...sum.new_promotions],
  };
}

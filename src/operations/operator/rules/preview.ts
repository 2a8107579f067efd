import { setTimeout as sleep } from "node:timers/promises";
import {
  fail,
  fieldError,
  fields,
  Refusal,
  readOperation,
  type Static,
  Type,
} from "../../../contract/declare.ts";
import { programs } from "../../../database/catalog.ts";
import type { Connection } from "../../../database/connection.ts";
import { countMembersIn, readSalesToPreview } from "../../../database/engine/preview.ts";
import { findCurrentRules } from "../../../database/engine/rules.ts";
import { findRangeEnd, inSlice, planForAnyValues } from "../../../database/verify/ledger.ts";
import {
  addPreviews,
  emptyPreview,
  MemberPreview,
  type Outcome,
  type RulesToCompare,
} from "../../../domain/engine/preview.ts";
import { type Rules, worthOf } from "../../../domain/engine/rules.ts";
import { balanceLimit } from "../../../domain/ledger.ts";
import { previewedSettings, previewPart, programChange } from "../../preview.ts";
import { pick } from "../../records.ts";

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
  after: fields.wholeOr(0, 0, balanceLimit, "The beginning of the part: next from the previous response."),
  limit: Type.Optional(fields.whole(1, 10_000, "How many members at most.", 5000)),
};

export const previewRules = readOperation({
  path: "/op/rules/preview",
  summary: "Preview other rules",
  description:
    "Calculates what other rules would have given on the recorded sales of a period, and what today's rules would have " +
    "given. Nothing is changed. Settings that you omit are those of today. Refunds lower what a sale gives. The preview " +
    "does not know how members would have acted with the other rules: the sales and the points that paid for them stay as " +
    "they were. It leaves out sales that were imported without points, the dates of points, and points that were given by " +
    "hand. The response is about some members, a few thousand at a time: repeat the request with next as after until it is " +
    "null, and add up the numbers. Each part is read in one snapshot.",
  message: "Rules previewed.",
  input,
  output: previewPart,
  errors: ["program_not_found"],
  check: ({ from, through, programs = [] }) => [
    ...(from !== undefined && through !== undefined && through < from
      ? [fieldError("through", "out_of_range", "must not be before from")]
      : []),
    ...programs.flatMap(({ program_id }, index) =>
      programs.findIndex((other) => other.program_id === program_id) === index
        ? []
        : [fieldError(`programs.${index}.program_id`, "not_allowed_value", "is named twice")],
    ),
  ],
  read: ({ services, caller: { businessId }, input }) =>
    inSlice(services.longRunning, async (tx) => {
      await planForAnyValues(tx);
      const rules = await findRulesToCompare(tx, businessId, input);
      return rules instanceof Refusal ? rules : previewMembers(tx, businessId, input, rules);
    }),
});

type Input = Static<Type.TObject<typeof input>>;

/** Today's rules, and these with the changes of the request. */
async function findRulesToCompare(tx: Connection, businessId: number, input: Input) {
  const current = await findCurrentRules(tx, businessId);
  const { default_program_id = current.program?.program_id ?? null, programs: changes = [] } = input;
  const named = [...new Set([...changes.map(({ program_id }) => program_id), default_program_id])];
  const found = await Promise.all(
    named.map((id) => (id === null ? null : programs.find(tx, businessId, id))),
  );
  if (found.includes(undefined)) return fail("program_not_found");
  const row = found.find((one) => one?.program_id === default_program_id) ?? null;
  const change = changes.find(({ program_id }) => program_id === default_program_id);
  const program = row === null ? null : { ...row, ...change };
  const { default_program_id: _, ...changed } = pick(input, Type.Object(previewedSettings));
  const proposed: Rules = { ...current, ...changed, program };
  return { current, proposed };
}

/** About how many ledger entries the members of a part have, so that a response takes less than a second. */
const entriesOfPart = 40_000;

async function previewMembers(tx: Connection, businessId: number, input: Input, rules: RulesToCompare) {
  const { from, through = "9999-12-31", after = 0, limit = 5000 } = input;
  const next = await findRangeEnd(tx, businessId, after, { members: limit, entries: entriesOfPart });
  let sums = emptyPreview;
  let member: MemberPreview | undefined;
  let startedAt = performance.now();
  for await (const sales of readSalesToPreview(tx, businessId, { after, last: next, from, through })) {
    for (const sale of sales) {
      if (member?.contactId !== sale.contact_id) {
        sums = member === undefined ? sums : addPreviews(sums, member.result());
        member = new MemberPreview(sale.contact_id, rules);
      }
      member.add(sale);
    }
    // Requests of others get half of the time. Without this, adjustments meanwhile fall to a third of their rate.
    await sleep(performance.now() - startedAt);
    startedAt = performance.now();
  }
  const members = await countMembersIn(tx, businessId, { after, last: next });
  const { gains, losses, ...all } = member === undefined ? sums : addPreviews(sums, member.result());
  const show = (outcome: Outcome, { value_points, value_amount }: Rules) => ({
    ...outcome,
    points_amount: worthOf({ value_points, value_amount }, outcome.points),
    ...{ value_points, value_amount },
  });
  return {
    version: rules.current.version,
    ...all,
    members,
    current: show(all.current, rules.current),
    proposed: show(all.proposed, rules.proposed),
    gains: [...gains],
    losses: [...losses],
    next,
  };
}

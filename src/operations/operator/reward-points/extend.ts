import { fieldError, fields, Type, writeOperation } from "../../../contract/declare.ts";
import { extendLots } from "../../../database/engine/lots.ts";
import { lockLedger } from "../../../database/ledger/ledger.ts";
import { lastDay } from "../../../domain/dates.ts";
import { points } from "../../amounts.ts";

export const extendPoints = writeOperation({
  path: "/op/reward-points/extend",
  role: "manager",
  event: "reward_points.extended",
  summary: "Extend the validity of points",
  description:
    "Extends the validity of points that would expire before a day. It never shortens a validity, and expired points " +
    "stay expired. One request extends the points of at most 10,000 sales. Repeat it with another key until remaining " +
    "is 0.",
  message: "Points extended.",
  input: {
    business_id: fields.businessId,
    due_before: fields.day("Points whose last day is before this day are extended."),
    valid_through: fields.day("The new last day of these points."),
    dry_run: fields.option("Whether to count the points without extending them.", true),
  },
  output: Type.Object({
    lots: fields.count("The number of sales whose points were extended, or would be.", 120),
    points: points("The number of these points.", 4711),
    remaining: fields.count("The number of sales whose points another request must extend.", 0),
  }),
  errors: ["validation_failed"],
  check({ due_before, valid_through }) {
    if (valid_through === lastDay)
      return [fieldError("valid_through", "out_of_range", `must be before ${lastDay}`)];
    if (due_before === undefined || valid_through === undefined || valid_through >= due_before) return [];
    return [fieldError("valid_through", "out_of_range", "must not be before due_before")];
  },
  async write({ input, tx, caller: { businessId }, audit }) {
    const { due_before, valid_through, dry_run = false } = input;
    const ledger = await lockLedger(tx, businessId);
    if (ledger === undefined) throw new Error(`business ${businessId} has no ledger`);
    const range = { today: ledger.today, dueBefore: due_before, validThrough: valid_through };
    const extended = await extendLots(tx, businessId, range, ledger.now, dry_run);
    const changed = !dry_run && extended.lots > 0;
    audit({ before: null, after: changed ? { due_before, valid_through, ...extended } : null });
    return extended;
  },
});

import { fieldError, fields, Type, writeOperation } from "../../../../contract/declare.ts";
import type { Services } from "../../../../contract/operation.ts";
import type { Connection } from "../../../../database/connection.ts";
import { findDueMembers, findFirstDueDay } from "../../../../database/engine/lots.ts";
import { advanceClock, canAdvanceTo, findClock } from "../../../../database/engine/sandbox.ts";
import { lockLedger } from "../../../../database/ledger/ledger.ts";
import { sumMembers } from "../../../../database/members/list.ts";
import { notASandbox } from "../../../integrations.ts";

export const advanceClockOperation = writeOperation({
  path: "/sp/sandbox/clock/advance",
  scope: "wa.sandbox.write",
  summary: "Advance the clock of a sandbox",
  description:
    "Advances the clock of a sandbox business by at most two years. Points mature and expire on their days, and their " +
    "entries are recorded before the response is sent.",
  message: "Clock advanced.",
  input: { to: fields.sandboxTime("The new time of the clock. A day means its beginning.") },
  output: Type.Object({
    clock_at: fields.timestamp,
    entries: fields.whole(
      0,
      2 ** 31 - 1,
      "The number of ledger entries that were recorded for the days in between.",
      3,
    ),
  }),
  errors: ["sandbox_too_large", "validation_failed"],
  async write({ input: { to }, tx, caller: { businessId }, services, fail }) {
    // Held until the commit, so no reader sees half of a day.
    await lockLedger(tx, businessId);
    if ((await findClock(tx, businessId)) === undefined) {
      return notASandbox();
    }
    if ((await sumMembers(tx, businessId)) > mostMembers) return fail("sandbox_too_large");
    if (!(await canAdvanceTo(tx, businessId, to))) {
      const problem = "must be later than the clock, by at most two years";
      return fail("validation_failed", { errors: [fieldError("to", "out_of_range", problem)] });
    }
    const entries = await liveThrough(tx, businessId, to.slice(0, 10), services);
    await advanceClock(tx, businessId, to);
    return { clock_at: (await findClock(tx, businessId)) as string, entries };
  },
});

/** The most members of a sandbox whose clock can be advanced: it takes one transaction. */
const mostMembers = 10_000;
const membersAtOnce = 500;

/** Sets the clock to each day on which something is due, and settles the members with due points. */
async function liveThrough(
  tx: Connection,
  businessId: number,
  lastDay: string,
  { settleMembers }: Services,
): Promise<number> {
  let entries = 0;
  for (;;) {
    const day = await findFirstDueDay(tx, businessId, lastDay);
    if (day === undefined) return entries;
    await advanceClock(tx, businessId, day);
    const due = await findDueMembers(tx, businessId, membersAtOnce, day);
    entries += await settleMembers(tx, businessId, due);
  }
}

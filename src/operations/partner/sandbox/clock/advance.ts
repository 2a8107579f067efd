import { fieldError, fields, Type, writeOperation } from "../../../../contract/declare.ts";
import { advanceClock, canAdvanceTo, farthestDay, findClock } from "../../../../database/engine/sandbox.ts";
import { lockLedger } from "../../../../database/ledger/ledger.ts";
import { sumMembers } from "../../../../database/members/list.ts";
import { liveThrough, noClock } from "../../../access/sandbox-clock.ts";

/** The most members of a sandbox whose clock can be advanced, because a step is one transaction. */
const mostMembers = 10_000;
/** The most lots that one step settles, and announces: about ten seconds of work. */
const mostLots = 10_000;

export const advanceClockOperation = writeOperation({
  path: "/sp/sandbox/clock/advance",
  scope: "wa.sandbox.write",
  emits: "sandbox.clock_advanced",
  summary: "Advance the clock of a sandbox",
  message: "Clock advanced.",
  description:
    "Advances the clock of a sandbox business by at most two years, to a time within 50 years of today. Points mature and " +
    "expire on their days, and their entries are recorded before the response is sent. A step on which more is due than " +
    "some seconds of work is rejected; the error says how far you can go.",
  operator: {
    role: "manager",
    event: "sandbox.clock_advanced",
    description:
      "Advances the clock of a sandbox business by at most two years, to a time within 50 years of today. Points mature and " +
      "expire on their days, and their entries are recorded before the response is sent. A step on which more is due than " +
      "some seconds of work is rejected; the error says how far you can go. You can't turn the clock back.",
    errors: ["not_a_sandbox"],
  },
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
  errors: ["sandbox_too_large", "clock_step_too_large", "validation_failed"],
  async write({ input: { to }, tx, caller, emit, audit, reject }) {
    const { businessId } = caller;
    // The lock is held until the commit, so that no reader sees a part of a day.
    await lockLedger(tx, businessId);
    const from = await findClock(tx, businessId);
    if (from === undefined) return noClock(caller);
    if ((await sumMembers(tx, businessId)) > mostMembers) return reject("sandbox_too_large");
    if (!(await canAdvanceTo(tx, businessId, to))) {
      const problem = "must be later than the clock, by at most two years, and within 50 years of today";
      return reject("validation_failed", { errors: [fieldError("to", "out_of_range", problem)] });
    }
    const farthest = await farthestDay(tx, businessId, to.slice(0, 10), mostLots);
    if (farthest < to.slice(0, 10)) return reject("clock_step_too_large", { to: farthest });
    const entries = await liveThrough(tx, businessId, to);
    await advanceClock(tx, businessId, to);
    const clock_at = (await findClock(tx, businessId)) as string;
    emit({ contact_ids: [], data: { from, to: clock_at } });
    audit({ before: { clock_at: from }, after: { clock_at } });
    return { clock_at, entries };
  },
});

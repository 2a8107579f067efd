/** The clock of a sandbox, for its partners and for operators. */
import {
  type DeclaredAccess,
  type DeclaredChange,
  fail,
  fieldError,
  fields,
  type Refusal,
  readOperation,
  Type,
  writeOperation,
} from "../contract/declare.ts";
import type { WriteOperation } from "../contract/operation.ts";
import type { MemberServices } from "../contract/services.ts";
import type { Connection } from "../database/connection.ts";
import { type DueMember, findDueMembers, findFirstDueDay } from "../database/engine/due.ts";
import { findNextNoticeDay } from "../database/engine/notices.ts";
import { advanceClock, canAdvanceTo, farthestDay, findClock } from "../database/engine/sandbox.ts";
import { lockLedger } from "../database/ledger/ledger.ts";
import { sumMembers } from "../database/members/list.ts";
import type { Scope } from "../domain/access.ts";
import { notASandbox } from "./integrations.ts";
import { businessOf } from "./records.ts";

type Texts = Pick<WriteOperation, "path" | "summary" | "description">;

interface Declared {
  readonly scope?: Scope | undefined;
}

const clockErrorsOf = ({ scope }: Declared) => (scope === undefined ? (["not_a_sandbox"] as const) : []);

/** Partners have no scope for the clock of a business that is not a sandbox. */
const clockRefusalOf = ({ scope }: Declared) =>
  scope === undefined ? (fail("not_a_sandbox") as Refusal<never>) : notASandbox();

export const getsClock = (declared: Texts & DeclaredAccess) =>
  readOperation({
    ...declared,
    input: businessOf(declared),
    output: Type.Object({ clock_at: fields.timestamp }),
    errors: clockErrorsOf(declared),
    async read({ services, caller }) {
      const clock_at = await findClock(services.lookUps, caller.businessId);
      return clock_at === undefined ? clockRefusalOf(declared) : { clock_at };
    },
  });

export const advancesClock = (declared: Texts & DeclaredChange) =>
  writeOperation({
    ...declared,
    emits: "sandbox.clock_advanced",
    input: {
      ...businessOf(declared),
      to: fields.sandboxTime("The new time of the clock. A day means its beginning."),
    },
    output: Type.Object({
      clock_at: fields.timestamp,
      entries: fields.whole(
        0,
        2 ** 31 - 1,
        "The number of ledger entries that were recorded for the days in between.",
        3,
      ),
    }),
    errors: ["sandbox_too_large", "clock_step_too_large", "validation_failed", ...clockErrorsOf(declared)],
    async write({ input, tx, caller: { businessId }, services, emit, audit, fail }) {
      const { to } = input as { to: string };
      // The lock is held until the commit, so that no reader sees a part of a day.
      await lockLedger(tx, businessId);
      const from = await findClock(tx, businessId);
      if (from === undefined) return clockRefusalOf(declared);
      if ((await sumMembers(tx, businessId)) > mostMembers) return fail("sandbox_too_large");
      if (!(await canAdvanceTo(tx, businessId, to))) {
        const problem = "must be later than the clock, by at most two years, and within 50 years of today";
        return fail("validation_failed", { errors: [fieldError("to", "out_of_range", problem)] });
      }
      const farthest = await farthestDay(tx, businessId, to.slice(0, 10), mostLots);
      if (farthest < to.slice(0, 10)) return fail("clock_step_too_large", { to: farthest });
      const entries = await liveThrough(tx, businessId, to.slice(0, 10), services.members);
      await advanceClock(tx, businessId, to);
      const clock_at = (await findClock(tx, businessId)) as string;
      emit({ contact_ids: [], data: { from, to: clock_at } });
      audit({ before: { clock_at: from }, after: { clock_at } });
      return { clock_at, entries };
    },
  });

/** The most members of a sandbox whose clock can be advanced, because a step is one transaction. */
const mostMembers = 10_000;
/** The most lots that one step settles, and announces: about ten seconds of work. */
const mostLots = 10_000;
const membersAtOnce = 500;

/** Sets the clock to each day on which something is due or to be announced. Settles the members that are due then. */
export async function liveThrough(
  tx: Connection,
  businessId: number,
  lastDay: string,
  members: Pick<MemberServices, "settle" | "announce">,
) {
  let entries = 0;
  let before: string | undefined;
  for (;;) {
    const days = await Promise.all([
      findFirstDueDay(tx, businessId, lastDay, before),
      findNextNoticeDay(tx, businessId, lastDay),
    ]);
    const [day] = days.filter((one) => one !== undefined).sort();
    if (day === undefined) return entries;
    await advanceClock(tx, businessId, day);
    let after: DueMember | undefined;
    do {
      const due: DueMember[] = await findDueMembers(tx, businessId, { limit: membersAtOnce, after, day });
      entries += await members.settle(
        tx,
        businessId,
        due.map(({ contact_id }) => contact_id),
      );
      after = due.length < membersAtOnce ? undefined : due.at(-1);
    } while (after !== undefined);
    await members.announce(tx, businessId, day);
    // A day on which something is still due is not visited again.
    before = day;
  }
}

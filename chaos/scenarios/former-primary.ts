/**
 * A standby has taken over, and some connections of the service still reach the former primary, which answers reads
 * and takes itself for the primary. A member that was created since must never be called unknown.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Chaos, eventually, type Result, Violations } from "../chaos.ts";
import { type Command, nameOf, Partner } from "../load/partner.ts";
import { type Random, randomFrom } from "../random.ts";
import type { Replicated } from "../replicated.ts";

export interface FormerPrimarySize {
  /** Members that are created and used at once. */
  readonly members: number;
  /**
   * Which connections still reach the former primary: those on which the service has only read, or any. Writes on one
   * of those wait until the server or the service gives up.
   */
  readonly left: "read connections" | "any";
}

/** What keeps connections of every kind open, so that there are some to leave behind. */
const warmUps = 60;
const overdueMilliseconds = 60_000;

export async function formerPrimary(
  chaos: Chaos,
  { primary, standby, proxy, port, operator }: Replicated,
  size: FormerPrimarySize,
): Promise<Result> {
  const violations = new Violations();
  const random = randomFrom(chaos.seed);
  const partner = await Partner.open(operator, port);
  const outcomes = new Map<string, number>();
  let created = 0;
  try {
    await warmUp(partner, port);
    await standby.promote();
    await eventually("the standby takes writes", 60_000, () =>
      standby
        .ask((sql) => sql<{ standby: boolean }[]>`SELECT pg_is_in_recovery() AS standby`)
        .then(
          ([row]) => row?.standby === false,
          // Our connections are for a primary only.
          () => false,
        ),
    );
    proxy.retarget(standby.target);
    proxy.resetThose(({ hasWritten }) => (size.left === "any" ? random.chance(0.5) : hasWritten));
    const left = proxy.connections().filter(({ target }) => target.port === primary.port).length;
    while (chaos.goesOn(created >= size.members)) {
      const contactId = await partner.member(port, `new-member-${created}`);
      for (const command of usesOf(partner, contactId, created, random)) {
        const name = await useMember(partner, port, command);
        outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
        if (name !== "ok") violations.add(`${command.path} of a new member was answered ${name}`);
      }
      created += 1;
      if (created % 50 === 0) chaos.say(`${created} members, ${violations.count} violations`);
    }
    return {
      violations: violations.list(),
      figures: [
        { what: "connections left at the former primary", value: left },
        { what: "members created", value: created, aim: size.members },
        { what: "uses of new members that succeeded", value: outcomes.get("ok") ?? 0 },
        {
          what: "new members called unknown",
          value: outcomes.get("member_not_found") ?? 0,
          promised: { exactly: 0 },
        },
      ],
    };
  } finally {
    partner.close();
  }
}

/** Writes and reads at once, over as many connections as the service opens for that. */
async function warmUp(partner: Partner, port: number): Promise<void> {
  const contactId = await partner.member(port, "known-member");
  await Promise.all(
    Array.from({ length: warmUps }, async (_, nth) => {
      await partner.settle(port, partner.creation(`warm-up-member-${nth}`));
      await partner.settle(port, partner.adjustment(`warm-up-${nth}`, contactId, 1));
      await partner.settle(port, { path: "/sp/transactions/list", body: { contact_id: contactId } });
    }),
  );
  await sleep(200);
}

function usesOf(partner: Partner, contactId: number, nth: number, random: Random): Command[] {
  const update = {
    path: "/sp/members/update",
    body: { idempotency_key: `update-${nth}`, contact_id: contactId, last_name: `Updated ${nth}` },
  };
  const uses: Command[] = [partner.adjustment(`use-${nth}`, contactId, 1), update];
  return random.chance(0.5) ? uses : uses.reverse();
}

/** Sends a command until its outcome is known. */
async function useMember(partner: Partner, port: number, command: Command): Promise<string> {
  return nameOf(await partner.settle(port, command, overdueMilliseconds));
}

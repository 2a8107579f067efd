/**
 * A standby was promoted, and some connections of the service still reach the former primary, which responds to reads.
 * A member that was created since must never be reported as unknown.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { randomFrom } from "../../test/support/random.ts";
import { Operator } from "../../test/support/runs/operator.ts";
import { none, type Result, times } from "../../test/support/runs/report.ts";
import { eventually, Violations } from "../../test/support/runs/run.ts";
import { Service } from "../../test/support/runs/service.ts";
import type { Chaos } from "../chaos.ts";
import { nameOf, Partner } from "../load/partner.ts";
import { openProxy, through } from "../pair.ts";
import { startReplicated } from "../replication.ts";

export interface FormerPrimarySize {
  /** Members to create and use. */
  readonly members: number;
  /**
   * Which connections still reach the former primary: those that have only read, or any. A write on any other one
   * waits until the server or the service gives up.
   */
  readonly left: "read connections" | "any";
}

/** Requests at the same time, so that the service opens connections of every kind. */
const warmUps = 60;
const settledWithinMilliseconds = 60_000;

export async function formerPrimary(chaos: Chaos, size: FormerPrimarySize): Promise<Result> {
  const servers = await startReplicated(chaos);
  if ("figures" in servers) return servers;
  const { primary, standby } = servers;
  const proxy = await openProxy(chaos, primary.connection);
  const { port } = await Service.start(chaos, { environment: through(proxy) });
  const violations = new Violations();
  const random = randomFrom(chaos.seed);
  const partner = await Partner.open(chaos, new Operator(chaos, port), port);
  await warmUp(partner, port);
  await standby.promote();
  await eventually("the standby accepts writes", 60_000, () =>
    standby
      .ask((sql) => sql<{ standby: boolean }[]>`SELECT pg_is_in_recovery() AS standby`)
      .then(
        ([row]) => row?.standby === false,
        // Our connections require a primary.
        () => false,
      ),
  );
  proxy.retarget(standby.connection);
  proxy.reset(({ hasWritten }) => (size.left === "any" ? random.chance(0.5) : hasWritten));
  const left = proxy.connections().filter(({ target }) => target.port === primary.port).length;
  const outcomes: string[] = [];
  let created = 0;
  for (; chaos.goesOn(created >= size.members); created++) {
    const contactId = await partner.member(port, `new-member-${created}`);
    const uses = [
      partner.adjustment(`use-${created}`, contactId, 1),
      partner.renaming(`update-${created}`, contactId),
    ];
    for (const command of random.chance(0.5) ? uses : uses.reverse()) {
      const name = nameOf(await partner.settle(port, command, settledWithinMilliseconds));
      outcomes.push(name);
      if (name !== "ok") violations.add(`${command.path} of a new member got ${name}`);
    }
  }
  const count = (name: string) => outcomes.filter((outcome) => outcome === name).length;
  return {
    violations: violations.list(),
    figures: [
      times("connections left at the former primary", left),
      times("members created", created, size.members),
      times("uses of new members that succeeded", count("ok")),
      none("new members reported as unknown", count("member_not_found")),
    ],
  };
}

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

/** The scenarios that send what nobody should, each against a service of its own. */
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { openDatabase } from "../../src/database/connection.ts";
import { findRunning } from "../../src/postgres/socket.ts";
import { freePort } from "../../test/support/service-process.ts";
import { authorize, type Business, type Credentials, makeBusiness, Operator } from "../business.ts";
import type { Chaos, Result } from "../chaos.ts";
import { basePath, operatorKey, type RunningService, startService, untilReady } from "../service.ts";
import { type FuzzSize, fuzz } from "./fuzz.ts";
import { type OverloadSize, overload } from "./overload.ts";

interface Prepared {
  readonly service: RunningService;
  readonly operator: Operator;
  readonly business: Business;
  readonly authorization: string;
  readonly contactId: number;
}

async function withService(chaos: Chaos, use: (prepared: Prepared) => Promise<Result>): Promise<Result> {
  const dataDirectory = join(await mkdtemp(join(chaos.directory, "input-")), "data");
  const service = startService(chaos, { port: await freePort(), dataDirectory });
  const operator = new Operator(service.port);
  try {
    await untilReady(service);
    const business = await makeBusiness(operator, { locations: 2, tiers: 2, programs: 1, vouchers: 1 });
    const authorization = await authorize(service.port, business.credentials);
    const { businessId: business_id } = business;
    const lines = [
      { line: 2, digest: "0".repeat(32), first_name: "Ana", last_name: "L", phone_number: "+34600000001" },
    ];
    await operator.write("/op/imports/members", { business_id, lines, dry_run: false });
    const { members } = await operator.ask<{ members: readonly [{ contact_id: number }] }>(
      "/op/exports/members",
      {
        business_id,
        after_member_id: 0,
        limit: 1,
      },
    );
    return await use({ service, operator, business, authorization, contactId: members[0].contact_id });
  } finally {
    operator.close();
    await service.process.stop();
  }
}

/** Wrong requests of every kind, against all operations. */
export function fuzzService(chaos: Chaos, size: FuzzSize): Promise<Result> {
  return withService(chaos, async ({ service, operator, business, authorization, contactId }) => {
    const { businessId, locationIds, tierIds, programIds, voucherIds } = business;
    // One that may come to harm: the run itself needs the other.
    const victim = await operator.write<Credentials & { integration_id: number }>("/op/integrations/create", {
      business_id: businessId,
      name: "Victim",
      scopes: ["wa.members.read"],
      all_locations: true,
    });
    const running = await findRunning(service.dataDirectory);
    if (running === undefined) throw new Error("the database does not answer");
    const pool = { connections: 2, statementTimeoutMilliseconds: 60_000, applicationName: "loyalty chaos" };
    const sql = openDatabase(running, pool);
    try {
      const target = {
        port: service.port,
        basePath,
        partner: authorization,
        operator: `Bearer ${operatorKey}`,
        ids: {
          business_id: [businessId],
          contact_id: [contactId],
          location_id: locationIds,
          tier_id: tierIds,
          program_id: programIds,
          voucher_id: voucherIds,
          integration_id: [victim.integration_id],
        },
        sql,
      };
      return await fuzz(chaos, target, size);
    } finally {
      await sql.end();
    }
  });
}

/** Ten times and more of what the service can do, then clients that dawdle. */
export function overloadService(chaos: Chaos, size: OverloadSize): Promise<Result> {
  return withService(chaos, async ({ service, authorization, contactId }) => {
    let sent = 0;
    const run = `${process.pid}-${Math.round(performance.timeOrigin)}`;
    const target = {
      port: service.port,
      path: `${basePath}/sp/reward-points/adjust`,
      authorization,
      obedient: true,
      body: () =>
        `{"idempotency_key":"${run}-${sent++}","contact_id":${contactId},"points":1,"adjustment_type":"credit"}`,
      pids: [service.process.child.pid ?? 0],
    };
    return await overload(chaos, target, size);
  });
}

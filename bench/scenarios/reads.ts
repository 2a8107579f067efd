/** Reads per second: first pages, a voucher, tiers, and tokens. */
import type { Figure } from "../../test/support/runs/report.ts";
import { basePath } from "../../test/support/runs/service.ts";
import { type Bench, compiledAfterSeconds, figure, fill, inTurn, measure, startServer } from "../bench.ts";

export async function reads(bench: Bench): Promise<Figure[]> {
  const server = await startServer(bench);
  const business = await fill(server, { members: 100_000, entries: 100_000 });
  const { client_id, client_secret } = business.credentials;
  const bodies = {
    "/sp/members/list": {},
    "/sp/transactions/list": {},
    "/sp/member-tiers/list": {},
    "/sp/members/get": { contact_id: business.caller.firstContactId },
    "/sp/auth/token": { client_id, client_secret },
  };
  const figures: Figure[] = [];
  for (const [path, body] of Object.entries(bodies)) {
    const { authorization } = business.caller;
    const workload = { kind: "fixed", path: basePath + path, authorization, bodies: [body] } as const;
    await measure(bench, server.service.port, workload, { seconds: compiledAfterSeconds });
    const { rate } = await inTurn(bench, { rate: () => measure(bench, server.service.port, workload) });
    figures.push(figure(path, rate));
  }
  return figures;
}

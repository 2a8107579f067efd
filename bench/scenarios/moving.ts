/** How long writes pause while a business moves to another cell. */
import { moveBusiness } from "../../src/backup/move-business.ts";
import type { Figure } from "../../test/support/runs/report.ts";
import { Service } from "../../test/support/runs/service.ts";
import { type Bench, checkLedgers, fill, startServer } from "../bench.ts";

const size = { members: 100_000, entries: 1_000_000 };
const pausedAtMostMilliseconds = 2000;

export async function moving(bench: Bench): Promise<Figure[]> {
  const server = await startServer(bench);
  const other = await Service.start(bench, { environment: { LOYALTY_CELL: "2" } });
  bench.say(`${size.members} members, ${size.entries} entries …`);
  const business = await fill(server, size);
  const placeOf = ({ dataDirectory }: Service) => ({ dataDirectory, databaseUrl: undefined });
  const startedAt = performance.now();
  const { moved, pausedMilliseconds } = await moveBusiness({
    businessId: business.businessId,
    from: placeOf(server.service),
    to: placeOf(other),
    route: async () => undefined,
    onProgress: bench.say,
    onRows: () => undefined,
    signal: new AbortController().signal,
  });
  const milliseconds = performance.now() - startedAt;
  await checkLedgers({ ...server, service: other, sql: await other.openDatabase() }, [business]);
  return [
    { what: `rows of ${size.members} members and ${size.entries} entries`, value: moved?.rows ?? Number.NaN },
    {
      what: "writes pause",
      value: pausedMilliseconds,
      unit: "ms",
      promised: { atMost: pausedAtMostMilliseconds },
    },
    { what: "the move, with the deletion in the old cell", value: milliseconds, unit: "ms" },
  ];
}

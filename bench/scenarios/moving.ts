/** How long writes pause while a business moves to another cell. */
import { moveBusiness } from "../../src/backup/move-business.ts";
import type { Figure } from "../../test/support/runs/report.ts";
import { Service } from "../../test/support/runs/service.ts";
import { adjusting, type Bench, checkLedgers, fill, measure, startServer } from "../bench.ts";

const size = { members: 100_000, entries: 1_000_000 };
const pausedAtMostMilliseconds = 2000;
/** Writes meanwhile. They begin before the move, and go on until after its pause. */
const writes = { requestsPerSecond: 200, seconds: 150, warmUpSeconds: 0 };

export async function moving(bench: Bench): Promise<Figure[]> {
  const server = await startServer(bench);
  const other = await Service.start(bench, { environment: { LOYALTY_CELL: "2" } });
  bench.say(`${size.members} members, ${size.entries} entries …`);
  const business = await fill(server, size);
  const placeOf = ({ dataDirectory }: Service) => ({ dataDirectory, databaseUrl: undefined });
  const writing = measure(bench, server.service.port, adjusting(business), {
    ...writes,
    mayBeRejected: true,
  });
  const startedAt = performance.now();
  let pausedAt = 0;
  const { moved, pausedMilliseconds } = await moveBusiness({
    businessId: business.businessId,
    from: placeOf(server.service),
    to: placeOf(other),
    checkRoutes: async () => undefined,
    route: async () => undefined,
    writeRoutes: async () => undefined,
    beforePause: async () => {
      pausedAt = performance.now() - startedAt;
    },
    onProgress: bench.say,
    onRows: () => undefined,
    signal: new AbortController().signal,
  });
  const milliseconds = performance.now() - startedAt;
  if (pausedAt > writes.seconds * 1000) throw new Error("the writes ended before the pause");
  const written = Math.round((await writing).perSecond * writes.seconds);
  await checkLedgers({ ...server, service: other, sql: await other.openDatabase() }, [business]);
  if (moved?.entries !== size.entries + written)
    throw new Error(`${moved?.entries} entries were moved, of ${size.entries} and ${written} written`);
  return [
    { what: "entries written meanwhile", value: written },
    { what: `rows of ${size.members} members and ${size.entries} entries`, value: moved?.rows ?? Number.NaN },
    {
      what: `writes pause, with ${writes.requestsPerSecond} per second until then`,
      value: pausedMilliseconds,
      unit: "ms",
      promised: { atMost: pausedAtMostMilliseconds },
    },
    { what: "the move, with the deletion in the old cell", value: milliseconds, unit: "ms" },
  ];
}

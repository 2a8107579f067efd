/** How fast files are imported: from the start of the check to the end of the import. */
import { gzipSync } from "node:zlib";
import { mostPartBytes } from "../../src/domain/imports/jobs.ts";
import type { Business } from "../../test/support/runs/operator.ts";
import type { Figure } from "../../test/support/runs/report.ts";
import { eventually } from "../../test/support/runs/run.ts";
import {
  adjusting,
  type Bench,
  checkLedgers,
  compiledAfterSeconds,
  cpuDuring,
  fill,
  measure,
  type Server,
  startServer,
} from "../bench.ts";

const longestMilliseconds = 600_000;

/** A file with a header. */
interface Content {
  readonly kind: "members" | "sales";
  readonly header: string;
  readonly lines: number;
  readonly lineOf: (nth: number) => string;
}

const phoneOf = (nth: number) => `+3466${String(nth).padStart(7, "0")}`;
const dayOf = (nth: number) =>
  `2025-${String((nth % 12) + 1).padStart(2, "0")}-${String((nth % 28) + 1).padStart(2, "0")}`;
const salesHeader = "phone_number,sold_at,amount,reference_id";

const membersOf = (lines: number): Content => ({
  kind: "members",
  header: "first_name,last_name,phone_number,email,external_ref,joined_at,points_balance",
  lines,
  lineOf: (nth) =>
    `Ana ${nth % 500},López ${nth % 3000},${phoneOf(nth)},ana${nth}@example.com,C${nth},${dayOf(nth)},${nth % 3 === 0 ? 50 : ""}`,
});
/** Sales of the members, with receipts. */
const salesOf = (receipt: string, lines: number, members: number): Content => ({
  kind: "sales",
  header: salesHeader,
  lines,
  lineOf: (nth) =>
    `${phoneOf((nth * 7919) % members)},${dayOf(nth)} 10:${String(nth % 60).padStart(2, "0")},${nth % 90}.50,${receipt}-${nth}`,
});

export async function imports(bench: Bench): Promise<Figure[]> {
  const lines = bench.options.full ? 200_000 : 40_000;
  const server = await startServer(bench);
  const business = await fill(server, { members: 1000, entries: 0 });
  const earning = { earn: true, location_id: business.locationIds[0] };
  const files = [
    ["members, a third with points", membersOf(lines), {}, 20_000],
    ["sales without points", salesOf("A", lines, lines), {}, 10_000],
    ["sales that earn points", salesOf("B", lines, lines), earning, 3000],
  ] as const;
  const figures: Figure[] = [];
  for (const [what, content, options, atLeast] of files) {
    const { seconds, shares } = await importFile(bench, server, business, content, options);
    figures.push(
      { what, value: content.lines / seconds, unit: "lines/s", target: { atLeast } },
      ...shares.map(([name, value]) => ({ what: `${what}: ${name}`, value, unit: "%" })),
    );
  }
  const adjust = () => measure(bench, server.service.port, adjusting(business));
  await measure(bench, server.service.port, adjusting(business), { seconds: compiledAfterSeconds });
  const without = await adjust();
  const [beside] = await Promise.all([
    adjust(),
    importFile(bench, server, business, salesOf("C", lines / 2, lines), earning),
  ]);
  await checkLedgers(server, [business]);
  figures.push({
    what: "adjustments beside an import of sales that earn",
    value: beside.perSecond,
    unit: "/s",
    against: "without",
    ratio: beside.perSecond / without.perSecond,
    target: { atLeast: 0.8 },
  });
  return figures;
}

/** Imports a file of which every line is new. @returns how long the check and the import took, and who used the processor */
async function importFile(
  { say }: Bench,
  server: Server,
  { businessId: business_id }: Business,
  content: Content,
  options: object = {},
) {
  const { operator } = server;
  const { kind, header, lines, lineOf } = content;
  const text = [header, ...Array.from({ length: lines }, (_, nth) => lineOf(nth))].join("\n");
  const packed = gzipSync(text, { level: 1 });
  let id: object = { file_name: "file.csv" };
  for (let part = 0; part * mostPartBytes < packed.length; part++) {
    const bytes = packed.subarray(part * mostPartBytes, (part + 1) * mostPartBytes);
    const body = {
      business_id,
      ...id,
      part,
      content: bytes.toString("base64"),
      last: (part + 1) * mostPartBytes >= packed.length,
    };
    const { import_id } = await operator.write<{ import_id: number }>("/op/imports/upload", body);
    id = { import_id };
  }
  const named = { business_id, ...id };
  const until = (state: string) =>
    eventually(`the import is ${state}`, longestMilliseconds, async () => {
      const found = await operator.ask<{ state: string; result: { imported: number } | null }>(
        "/op/imports/get",
        named,
      );
      if (found.state === "failed") throw new Error(JSON.stringify(found));
      return found.state === state && found;
    });
  const startedAt = performance.now();
  let checkedAt = startedAt;
  const { result, ...cpu } = await cpuDuring(server, async () => {
    await operator.write("/op/imports/preview", { ...named, kind, amount_unit: "major", ...options });
    await until("checked");
    checkedAt = performance.now();
    await operator.write("/op/imports/start", named);
    return until("ended");
  });
  if (result.result?.imported !== lines) throw new Error(JSON.stringify(result));
  const seconds = (performance.now() - startedAt) / 1000;
  const checking = (checkedAt - startedAt) / 1000;
  say(`${lines} ${kind}: ${seconds.toFixed(1)} s, of which the check ${checking.toFixed(1)} s`);
  const shares = [
    ["the check", checking],
    ["processor time of the service", cpu.service],
    ["processor time of the database", cpu.database],
  ] as const;
  return { seconds, shares: shares.map(([name, part]) => [name, (part / seconds) * 100] as const) };
}

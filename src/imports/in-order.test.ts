import { Readable } from "node:stream";
import { expect, it } from "vitest";
import type { ImportForm } from "../operations/imports/import-jobs.ts";
import { importKinds } from "../operations/imports/import-kinds.ts";
import { inOrder } from "./in-order.ts";
import type { Job } from "./job.ts";

const jobOf = (text: string, options: object, stopped = () => false) =>
  ({
    kind: importKinds.sales,
    leased: { options: { amount_unit: "major", request: {}, ...options } },
    money: { currency: "EUR", decimals: 2 },
    country: null,
    source: { open: () => Readable.from([Buffer.from(text)], { objectMode: false }) },
    stopped,
  }) as unknown as Job;

function formOf(text: string): ImportForm {
  const header = text.split("\n")[0]?.split(",") ?? [];
  const indexes = Object.fromEntries(header.map((field, index) => [field, index]));
  const found = { header, indexes, delimiter: ",", from: null, columns: [], date_formats: [], places: [] };
  return { ...found, header_at: 1 } as unknown as ImportForm;
}

it("reads no file as one receipt", async () => {
  const text = `contact_id,sold_at,amount,reference_id\n${"1,2026-03-01,5,A\n".repeat(10_001)}`;
  const job = jobOf(text, { join_lines: true });
  const reading = async () => {
    for await (const _ of inOrder(job, formOf(text), async () => undefined));
  };
  await expect(reading()).rejects.toThrow("The receipt of line 2 has more than 10,000 lines.");
});

it("joins lines of a receipt whose cells are the same or empty", async () => {
  const lines = [
    ...["1,2026-03-01,5,A,x", ",,5,A", "1,,5,A,x", "1,2026-03-01,5,A"],
    ...["1,2026-03-01,1,B", ",,1,B,y", ",,1,B"],
    ...["1,2026-03-01,2,C,x", "1,2026-03-02,2,D,x"],
  ];
  const text = `contact_id,sold_at,amount,reference_id,time_zone\n${lines.join("\n")}\n`;
  const sales: unknown[] = [];
  for await (const some of inOrder(jobOf(text, { join_lines: true }), formOf(text), async () => undefined))
    sales.push(...some.map(({ line, records }) => [line?.reference_id, line?.amount, records.length]));
  expect(sales).toEqual([
    ["A", 2000, 4],
    ["B", 300, 3],
    ["C", 200, 1],
    ["D", 200, 1],
  ]);
  const apart = text.replace("1,2026-03-01,5,A\n", "1,2026-03-01,5,A,z\n");
  const reading = async () => {
    for await (const _ of inOrder(jobOf(apart, { join_lines: true }), formOf(apart), async () => undefined));
  };
  await expect(reading()).rejects.toThrow("The lines of A are apart, or differ: see lines 2 and 5.");
});

it("leaves it to the caller how a job stops, also between lines that are not its turn", async () => {
  const text = "contact_id,sold_at,amount,reference_id\n1,2026-03-01,-5,A\n1,2026-03-01,5,A\n";
  const stops: number[] = [];
  const amounts: unknown[] = [];
  const job = jobOf(text, {}, () => true);
  const stop = async () => void stops.push(amounts.length);
  for await (const some of inOrder(job, formOf(text), stop))
    amounts.push(...some.map(({ line }) => line?.amount));
  // Also while the second pass passes over the lines of the first one.
  expect(stops).toEqual([0, 0, 1, 2]);
  expect(amounts).toEqual([500, -500]);
});

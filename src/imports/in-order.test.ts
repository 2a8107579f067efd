import { Readable } from "node:stream";
import { expect, it } from "vitest";
import type { ImportForm } from "../operations/imports/import-jobs.ts";
import { importKinds } from "../operations/imports/import-kinds.ts";
import { inOrder } from "./in-order.ts";
import type { Job } from "./job.ts";

it("leaves it to the caller how a job stops, also between lines that are not its turn", async () => {
  const text = "contact_id,sold_at,amount,reference_id\n1,2026-03-01,-5,A\n1,2026-03-01,5,A\n";
  const stops: number[] = [];
  const amounts: unknown[] = [];
  const job = {
    kind: importKinds.sales,
    leased: { options: { amount_unit: "major", request: {} } },
    money: { currency: "EUR", decimals: 2 },
    country: null,
    source: { open: () => Readable.from([Buffer.from(text)], { objectMode: false }) },
    stopped: () => true,
  } as unknown as Job;
  const form = {
    header: text.split("\n")[0]?.split(","),
    delimiter: ",",
    from: null,
    columns: [],
    date_formats: [],
    locations: [],
  };
  const stop = async () => void stops.push(amounts.length);
  for await (const some of inOrder(job, form as unknown as ImportForm, stop))
    amounts.push(...some.map(({ line }) => line?.amount));
  // Also while the second pass passes over the lines of the first one.
  expect(stops).toEqual([0, 0, 1, 2]);
  expect(amounts).toEqual([500, -500]);
});

/** How files are read is saved under a name, and files without a header have columns by numbers. */
import { expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { importJobs } from "../support/import-jobs.ts";
import { importTools } from "../support/imports.ts";
import { asOperator } from "../support/operator-requests.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const { businessWithMember } = importTools(world);
const { upload, preview } = importJobs(world);

const column = (field: string, name: string) => ({ field, column: name });

it("options are saved under a name, used for other files, and replaced one by one", async () => {
  const { business, contact_id } = await businessWithMember();
  const columns = [column("contact_id", "Card"), column("sold_at", "Date"), column("amount", "Total")];
  const options = { columns, date_format: "DD/MM/YYYY", amount_unit: "major", batch: "till-1" };
  const text = `Card;Date;Total\n${contact_id};03/04/2025;12\n`;
  const first = await preview(await upload(business.businessId, text), { ...options, save_as: "Till" });
  expect(first).toMatchObject({
    options,
    result: { imported: 1, sums: { amount: 1200, first_day: "2025-04-03" } },
  });

  const next = await upload(business.businessId, text);
  const same = { like: "Till", amount_unit: undefined };
  expect(await preview(next, same)).toMatchObject({ options, result: { sums: { amount: 1200 } } });
  expect(await preview(next, { ...same, date_format: "MM/DD/YYYY", save_as: "Till" })).toMatchObject({
    options: { ...options, date_format: "MM/DD/YYYY" },
    result: { sums: { first_day: "2025-03-04" } },
  });
  expect((await preview(next, same)).options).toMatchObject({ date_format: "MM/DD/YYYY" });

  const unknown = async (more: Body) => {
    const body = { ...next, kind: "sales", idempotency_key: JSON.stringify(more), ...more };
    return (await asOperator(world, "/op/imports/preview", body)).body.error.details;
  };
  expect(JSON.stringify(await unknown({ like: "Cafe" }))).toContain(
    "is not saved for sales; these are: Till",
  );
  expect(JSON.stringify(await unknown({ like: "Till", kind: "members" }))).toContain("these are: none");
});

it("a file without a header has columns by numbers", async () => {
  const { business, contact_id } = await businessWithMember();
  const fileOf = (day: string) => upload(business.businessId, `x,${contact_id},${day},12.50\n`);
  const first = await fileOf("2026-03-02");
  const asked = await preview(first, { no_header: true, amount_unit: undefined });
  expect(asked).toMatchObject({
    problem: expect.stringContaining("There is no column for contact_id"),
    form: { header: ["1: x", `2: ${contact_id}`, "3: 2026-03-02", "4: 12.50"] },
  });
  // As the console sends them, and as people write them.
  const columns = [column("contact_id", `2: ${contact_id}`), column("sold_at", "3"), column("amount", "4")];
  const options = { no_header: true, columns, amount_unit: undefined };
  const found = await preview(first, { ...options, save_as: "Plain" });
  expect(found.result).toMatchObject({ lines: 1, imported: 1, sums: { amount: 1250 } });
  // The first line of another file is another one.
  const other = await preview(await fileOf("2026-03-03"), { like: "Plain", amount_unit: undefined });
  expect(other.result).toMatchObject({ imported: 1, sums: { first_day: "2026-03-03" } });
});

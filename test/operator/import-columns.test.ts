/** Columns with the names that shops give them, in their languages, are found without options. */
import { describe, expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { importJobs } from "../support/import-jobs.ts";
import { importTools } from "../support/imports.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const { memberOf, transactionsOf, importLines, expectValidLedger } = importTools(world);
const { upload, preview, start } = importJobs(world);

async function check(business_id: number, kind: string, text: string, options: Body = {}) {
  const id = await upload(business_id, text, `${kind}.csv`);
  const found = await preview(id, { kind, amount_unit: undefined, ...options });
  return { id, found: found as Body & { form: Body & { notes: string[] }; result: Body } };
}

async function shop(name: string) {
  const business = await world.business(name, "Europe/Madrid");
  const at = { business_id: business.businessId };
  await operatorWrite(world, "/op/businesses/update", { ...at, country: "ES" });
  await operatorWrite(world, "/op/locations/create", { ...at, name: "Central" });
  return business;
}

describe("a café's own export, with semicolons and decimal commas", () => {
  it("of customers and of tickets needs no option", async () => {
    const business = await shop("Café");
    const customers =
      "Código;Nombre;Apellidos;Teléfono;Correo electrónico;Fecha de nacimiento;Puntos;Saldo;Fecha de alta;Observaciones\r\n" +
      "1001;Ana María;López García;600 111 201;ana@example.com;14/02/1985;1.250;12,50 €;03/01/2024;Café solo\r\n" +
      "1002;Juan;Pérez;+34 600 111 202;;25/12/1990;80;0,00 €;15/03/2024;\r\n" +
      "1003;Lucía;;600111203;;;;;;\r\n";
    const { id, found } = await check(business.businessId, "members", customers);
    const names = Object.fromEntries(
      (found.form.columns as Body[]).map(({ field, column }) => [field, column] as const),
    );
    expect(names).toEqual({
      ...{ external_ref: "Código", first_name: "Nombre", last_name: "Apellidos", phone_number: "Teléfono" },
      ...{ email: "Correo electrónico", date_of_birth: "Fecha de nacimiento", points_balance: "Puntos" },
      joined_at: "Fecha de alta",
    });
    expect(found.form.notes).toContain(
      "The column Saldo is not imported. If it is the money of the members, say it as wallet_balance.",
    );
    expect(found.result).toMatchObject({
      ...{ lines: 3, imported: 2, sums: { points: 1330 } },
      reasons: [
        {
          reason: "last_name is required. To import such members, add defaults of last_name, such as -.",
          first_lines: [4],
        },
      ],
    });
    await start(id);
    expect(await memberOf(business, "+34600111201")).toMatchObject({
      ...{ first_name: "Ana María", last_name: "López García", external_ref: "1001", wallet_balance: 0 },
      date_of_birth: "1985-02-14",
    });
    const tickets =
      "Nº ticket;Fecha;Hora;Cliente;Nº cliente;Local;Importe;Estado\r\n" +
      "T-1;13/01/2026;09:05;Ana María López;1001;Central;3,50 €;Cobrado\r\n" +
      "T-2;13/01/2026;09:10;;;Central;2,00 €;Cobrado\r\n" +
      "T-3;02/02/2026;18:45;Juan Pérez;1002;CENTRAL;1.012,40 €;Anulado\r\n" +
      "T-1;03/02/2026;11:00;Ana María López;1001;Central;-1,50 €;Devolución\r\n";
    const sales = await check(business.businessId, "sales", tickets);
    expect(sales.found.result).toMatchObject({ lines: 4, imported: 2, rejected: 0, left_out: 2 });
    await start(sales.id);
    const { contact_id } = await memberOf(business, "+34600111201");
    const entries = (await transactionsOf(business, contact_id)).filter(
      ({ reference_id }) => reference_id === "T-1",
    );
    expect(entries.map(({ created_at, amount }) => [created_at, amount]).sort()).toEqual([
      ["2026-01-13 09:05:00", 350],
      ["2026-02-03 11:00:00", -150],
    ]);
    await expectValidLedger(business);
  });

  it("with two columns that can be the amount asks which one is meant", async () => {
    const business = await shop("Two amounts");
    const text = "Ticket;Fecha;Teléfono;Importe;Total\n1;13/01/2026;600111201;3,50;4,00\n";
    const { found } = await check(business.businessId, "sales", text);
    expect(found).toMatchObject({
      state: "failed",
      problem: expect.stringContaining("There is no column for amount. The amount can be Importe or Total."),
    });
    const columns = [{ field: "amount", column: "Total" }];
    const said = await check(business.businessId, "sales", text, { columns });
    expect(said.found.form.columns).toContainEqual({ field: "amount", column: "Total" });
  });
});

it("a name is whole, or has two columns, as the language writes them", async () => {
  const { businessId } = await shop("Names");
  const files: readonly (readonly [header: string, line: string, first: string, last: string])[] = [
    ["Nombre;Móvil", "Ana María López;600111201", "Ana María", "López"],
    ["Nombre;Primer apellido;Móvil", "Ana María;López;600111201", "Ana María", "López"],
    ["Nom;Prénom;Téléphone", "Petit;Ana;+33612345678", "Ana", "Petit"],
    ["Nom;Portable", "Ana Petit;+33612345678", "Ana", "Petit"],
    ["Vorname;Name;Handy", "Ana;von Klein;+4915112345678", "Ana", "von Klein"],
    ["Nome;Cognome;Cellulare", "Ana;Rossi;+393312345678", "Ana", "Rossi"],
  ];
  for (const [header, line, first, last] of files) {
    const { found } = await check(businessId, "members", `${header}\n${line}\n`);
    expect(found.result).toMatchObject({ imported: 1 });
    const [sample] = found.form.sample as { values: Body[] }[];
    expect(sample?.values).toEqual(
      expect.arrayContaining([
        { field: "first_name", sample_value: first },
        { field: "last_name", sample_value: last },
      ]),
    );
  }
});

it("the number of a card names the member, as it is printed or without blanks", async () => {
  const business = await shop("Cards");
  const { businessId } = business;
  const members = "First name,Last name,Phone,Card number\nAna,López,+34600111301,LC 0004711\n";
  await start((await check(businessId, "members", members)).id);
  const sales =
    "Card no,Date,Total\nLC-0004711,2026-01-05,12.50\nlc 0004711,2026-01-06,2.50\nLC 0004712,2026-01-06,1\n";
  const { id, found } = await check(businessId, "sales", sales);
  expect(found.result).toMatchObject({
    ...{ lines: 3, imported: 2 },
    reasons: [{ reason: "card_code names no member.", first_lines: [4] }],
  });
  await start(id);
  const { contact_id } = await memberOf(business, "+34600111301");
  expect((await transactionsOf(business, contact_id)).map(({ amount }: Body) => amount).sort()).toEqual([
    1250, 250,
  ]);
  await expectValidLedger(business);
});

it("vouchers have the same names", async () => {
  const business = await shop("Vouchers");
  await importLines("members", business, [
    { line: 1, phone_number: "+34600111201", first_name: "Ana", last_name: "Vo" },
  ]);
  const text =
    "Teléfono;Código;Valor;Fecha de emisión;Válido hasta\n600111201;VERANO;5,00;13/01/2026;31/12/2026\n";
  const { found } = await check(business.businessId, "vouchers", text);
  expect((found.form.columns as Body[]).map(({ field }) => field)).toEqual([
    ...["phone_number", "coupon_code", "coupon_value", "issued_on", "valid_through"],
  ]);
});

import type { Connection } from "./connection.ts";

/** Every business, for background work that goes business by business; operators' own keys come first, as 0. */
export async function listBusinessIds(sql: Connection): Promise<number[]> {
  const rows = await sql<{ business_id: number }[]>`SELECT business_id FROM business ORDER BY business_id`;
  return [0, ...rows.map((row) => row.business_id)];
}

export interface NewBusiness {
  readonly name: string;
  readonly time_zone: string;
  readonly currency: string;
}

/** Makes a business with its empty ledger and default reward settings. @returns its business_id */
export async function insertBusiness(tx: Connection, business: NewBusiness): Promise<number> {
  const [row] = await tx<{ business_id: number }[]>`
    INSERT INTO business (name, time_zone, currency)
    VALUES (${business.name}, ${business.time_zone}, ${business.currency})
    RETURNING business_id`;
  const businessId = (row as { business_id: number }).business_id;
  await tx`INSERT INTO ledger (business_id) VALUES (${businessId})`;
  await tx`INSERT INTO reward_settings (business_id) VALUES (${businessId})`;
  return businessId;
}

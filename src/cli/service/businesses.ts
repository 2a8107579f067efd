/** The businesses of the service, and the one that a command works on. */
import type { Static } from "typebox";
import type { business } from "../../operations/access/businesses.ts";
import { findBusinessesOperation } from "../../operations/operator/businesses/find.ts";
import { listBusinessesOperation } from "../../operations/operator/businesses/list.ts";
import { usageError } from "../terminal/cli-error.ts";
import { failuresOf, rejectFailures } from "./cell-failures.ts";
import { type OperatorClient, pagesOf } from "./client.ts";
import { recordNotFound } from "./failure.ts";

export type Business = Readonly<Static<typeof business>>;

/** Every business, page by page. @throws CliError when a cell does not respond */
export async function* allBusinesses(client: OperatorClient): AsyncGenerator<Business> {
  for await (const page of pagesOf<Business>(client, listBusinessesOperation.path, {})) {
    rejectFailures(failuresOf(page));
    yield* page.data;
  }
}

/** @throws CliError when there is no such business */
export async function getBusiness(client: OperatorClient, business_id: number): Promise<Business> {
  const { data } = await client.call<Business[]>(findBusinessesOperation.path, { business_id });
  if (data[0] !== undefined) return data[0];
  throw recordNotFound("business_id", business_id);
}

/** Whether the business of a record can be found by a field. */
export const identifiesBusiness = (field: string) => field in findBusinessesOperation.input.properties;

/** How many businesses a message lists. */
const mostListed = 10;

/**
 * @param record the field and the id of a record that the command line names
 * @returns LOYALTY_BUSINESS, or the business of the record, or the only business that is not a sandbox
 * @throws CliError when none of these names a business
 */
export async function chooseBusiness(
  client: OperatorClient,
  record?: { readonly field: string; readonly id: unknown },
): Promise<number> {
  const variable = process.env.LOYALTY_BUSINESS?.trim();
  if (variable) {
    if (/^[1-9]\d{0,15}$/.test(variable)) return Number(variable);
    throw usageError(`LOYALTY_BUSINESS must be the id of a business, not "${variable}".`);
  }
  const candidates: Business[] = [];
  if (record !== undefined) {
    const { field, id } = record;
    candidates.push(...(await client.call<Business[]>(findBusinessesOperation.path, { [field]: id })).data);
    // The service returns the same error when a request names the business.
    if (candidates.length === 0) throw recordNotFound(field, id, "No business has it.");
  } else {
    for await (const business of allBusinesses(client)) if (!business.sandbox) candidates.push(business);
  }
  const [only, ...others] = candidates;
  if (only === undefined) {
    throw usageError("There is no business yet.", "Create one: loyalty business create --help");
  }
  if (others.length === 0) return only.business_id;
  throw usageError(
    "There are several businesses. Give --business, or set LOYALTY_BUSINESS.",
    ...candidates.slice(0, mostListed).map(({ business_id, name }) => `  ${business_id}  ${name}`),
    ...(candidates.length > mostListed ? ["See all: loyalty business list --all"] : []),
  );
}

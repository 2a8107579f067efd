/** The businesses of the service, and the one that a command works on. */
import type { Static } from "typebox";
import { findBusinessesOperation } from "../../operations/operator/businesses/find.ts";
import { listBusinessesOperation } from "../../operations/operator/businesses/list.ts";
import type { business } from "../../operations/operator-fields.ts";
import { CliError, exitCodes, usageError } from "../cli-error.ts";
import type { Options } from "../command.ts";
import { type OperatorClient, pagesOf } from "./client.ts";

export type Business = Readonly<Static<typeof business>>;

/** Every business, page by page. */
export async function* allBusinesses(client: OperatorClient): AsyncGenerator<Business> {
  for await (const { data } of pagesOf<Business>(client, listBusinessesOperation.path, {})) yield* data;
}

/** @throws CliError when there is no such business */
export async function findBusiness(client: OperatorClient, businessId: number): Promise<Business> {
  for await (const business of allBusinesses(client)) {
    if (business.business_id === businessId) return business;
  }
  // The same end as where the service looks for it.
  const answer = { code: "business_not_found", details: {} };
  const advice = ["See which there are: loyalty business list"];
  throw new CliError(exitCodes.failed, `Business ${businessId} not found.`, advice, answer);
}

/** How many businesses a message lists. */
const mostListed = 10;

/** The business that a command line names, under either name of the option. */
export function businessOption({ business, businessId }: Options): number | undefined {
  return (business ?? businessId) as number | undefined;
}

/**
 * @param record the field and the id of the record that the command names
 * @returns LOYALTY_BUSINESS, or the business of the record, or the only one that is not a sandbox
 * @throws CliError when none of these says which
 */
export async function chooseBusiness(
  client: OperatorClient,
  record?: { readonly field: string; readonly id: number },
): Promise<number> {
  const variable = process.env.LOYALTY_BUSINESS?.trim();
  if (variable) {
    if (/^[1-9]\d{0,15}$/.test(variable)) return Number(variable);
    throw usageError(`LOYALTY_BUSINESS must be the id of a business, not "${variable}".`);
  }
  const isFindable = record !== undefined && record.field in findBusinessesOperation.input.properties;
  const candidates = isFindable
    ? await businessesWith(client, record.field, record.id)
    : await realBusinesses(client);
  const [only, ...others] = candidates;
  if (only === undefined) {
    throw usageError("There is no business yet.", "Create one: loyalty business create --help");
  }
  if (others.length === 0) return only.business_id;
  throw usageError(
    "Which business? Give --business, or set LOYALTY_BUSINESS.",
    ...candidates.slice(0, mostListed).map(({ business_id, name }) => `  ${business_id}  ${name}`),
    ...(candidates.length > mostListed ? ["See all: loyalty business list --all"] : []),
  );
}

/** @throws CliError when no business has the record, like the service where it is told the business */
async function businessesWith(client: OperatorClient, field: string, id: number): Promise<Business[]> {
  const { data } = await client.call<Business[]>(findBusinessesOperation.path, { [field]: id });
  if (data.length > 0) return data;
  const noun = field === "contact_id" ? "member" : field.replace(/_id$/, "");
  const name = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
  const answer = { code: `${noun}_not_found`, details: {} };
  throw new CliError(exitCodes.failed, `${name} ${id} not found.`, ["No business has it."], answer);
}

async function realBusinesses(client: OperatorClient): Promise<Business[]> {
  const found: Business[] = [];
  for await (const business of allBusinesses(client)) if (!business.sandbox) found.push(business);
  return found;
}

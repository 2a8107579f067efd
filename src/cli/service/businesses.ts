/** The businesses of the service, and the one that a command works on. */
import { maximumPerPage } from "../../domain/pagination.ts";
import { findBusinessesOperation } from "../../operations/operator/businesses/find.ts";
import { listBusinessesOperation } from "../../operations/operator/businesses/list.ts";
import { CliError, exitCodes, usageError } from "../cli-error.ts";
import type { Options } from "../context.ts";
import type { OperatorClient } from "./client.ts";

export interface Business {
  readonly business_id: number;
  readonly name: string;
  readonly currency: string;
  readonly time_zone: string;
  readonly sandbox: boolean;
}

/** Every business, page by page. */
export async function* allBusinesses(client: OperatorClient): AsyncGenerator<Business> {
  for (let page = 1, last = 1; page <= last; page += 1) {
    const body = { page, per_page: maximumPerPage };
    const { data, meta } = await client.call<Business[]>(listBusinessesOperation.path, body);
    yield* data;
    last = (meta.pagination as { last_page: number }).last_page;
  }
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

/** The fields by which the service finds the business of a record. */
const findable = Object.keys(findBusinessesOperation.input.properties);
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
  const found = record === undefined ? undefined : await businessesOf(client, record);
  const candidates = found ?? (await realBusinesses(client));
  const [only] = candidates;
  if (candidates.length === 1 && only !== undefined) return only.business_id;
  throw candidates.length === 0 ? noBusiness() : severalBusinesses(candidates);
}

/** @returns undefined when the record does not say, or does not exist: the service then names what is wrong */
async function businessesOf(
  client: OperatorClient,
  { field, id }: { readonly field: string; readonly id: number },
): Promise<readonly Business[] | undefined> {
  if (!findable.includes(field)) return undefined;
  const { data } = await client.call<Business[]>(findBusinessesOperation.path, { [field]: id });
  if (data.length > 0) return data;
  // The same message, with or without the id of a business.
  throw notFoundAnywhere(field, id);
}

function notFoundAnywhere(field: string, id: number): CliError {
  const noun = field === "contact_id" ? "member" : field.replace(/_id$/, "");
  const name = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
  return new CliError(exitCodes.failed, `${name} ${id} not found.`, ["No business has it."], {
    code: `${noun}_not_found`,
    details: {},
  });
}

async function realBusinesses(client: OperatorClient): Promise<readonly Business[]> {
  const found: Business[] = [];
  for await (const business of allBusinesses(client)) if (!business.sandbox) found.push(business);
  return found;
}

function noBusiness(): CliError {
  return usageError("There is no business yet.", "Create one: loyalty business create --help");
}

function severalBusinesses(businesses: readonly Business[]): CliError {
  const listed = businesses.slice(0, mostListed).map(({ business_id, name }) => `  ${business_id}  ${name}`);
  return usageError(
    "Which business? Give --business, or set LOYALTY_BUSINESS.",
    ...listed,
    ...(businesses.length > mostListed ? ["See all: loyalty business list --all"] : []),
  );
}

/** The businesses of the service, as commands that go through them need them. */
import { maximumPerPage } from "../../domain/pagination.ts";
import { listBusinessesOperation } from "../../operations/operator/businesses/list.ts";
import { CliError, exitCodes } from "../cli-error.ts";
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

/** Calls the operations of several cells. A request about a business goes to the cell that has it. */
import type { Answer } from "loyalty-sdk";
import { defaultPerPage } from "../../domain/pagination.ts";
import { findBusinessesOperation } from "../../operations/operator/businesses/find.ts";
import { listBusinessesOperation } from "../../operations/operator/businesses/list.ts";
import { getStatus, type Status } from "../../operations/operator/status/get.ts";
import type { Business } from "../service/businesses.ts";
import { type OperatorClient, pagesOf } from "../service/client.ts";
import { CliError, usageError } from "../terminal/cli-error.ts";

export interface CellClient {
  readonly name: string;
  readonly client: OperatorClient;
}

interface Request {
  readonly business_id?: unknown;
  readonly sandbox_business_id?: unknown;
  readonly page?: number;
  readonly per_page?: number;
}

export function createCellsClient(cells: readonly [CellClient, ...CellClient[]]): OperatorClient {
  /** The cells in which businesses were found. */
  const homes = new Map<unknown, CellClient>();
  const { baseUrl, keyFrom } = cells[0].client;
  return {
    baseUrl,
    keyFrom,
    async call<Data>(path: string, body: Request, signal?: AbortSignal): Promise<Answer<Data>> {
      if (path === listBusinessesOperation.path) return (await listOfAll(cells, body)) as Answer<Data>;
      if (path === findBusinessesOperation.path) {
        const found = await Promise.all(
          cells.map(({ client }) => client.call<Business[]>(path, body, signal)),
        );
        return {
          ...(found[0] as Answer<Business[]>),
          data: found.flatMap(({ data }) => data),
        } as Answer<Data>;
      }
      if (path === getStatus.path) return (await statusOfAll(cells)) as Answer<Data>;
      const id = body.business_id ?? body.sandbox_business_id;
      if (id === undefined) {
        throw usageError(
          "Several cells are configured, and this command is about one of them.",
          `Name it with --cell: ${cells.map(({ name }) => name).join(", ")}`,
        );
      }
      const home = homes.get(id);
      let missing: unknown;
      for (const cell of home === undefined ? cells : [home, ...cells.filter((other) => other !== home)]) {
        try {
          const answer = await cell.client.call<Data>(path, body, signal);
          homes.set(id, cell);
          return answer;
        } catch (error) {
          // A request for a business that is not there has no effect.
          if (!(error instanceof CliError) || error.answer?.code !== "business_not_found") throw error;
          missing = error;
        }
      }
      throw missing;
    },
  };
}

/** The status of the first cell, with the numbers of records in all cells. */
async function statusOfAll(cells: readonly CellClient[]): Promise<Answer<Status>> {
  const answers = await Promise.all(cells.map(({ client }) => client.call<Status>(getStatus.path, {})));
  const first = answers[0] as Answer<Status>;
  const sum = (field: "businesses" | "members" | "entries") =>
    answers.reduce((total, { data }) => total + data[field], 0);
  const counts = { businesses: sum("businesses"), members: sum("members"), entries: sum("entries") };
  return { ...first, data: { ...first.data, ...counts } };
}

/** The businesses of all cells as one list, newest first, each with the name of its cell. */
async function listOfAll(
  cells: readonly CellClient[],
  { page = 1, per_page = defaultPerPage }: Request,
): Promise<Answer<Business[]>> {
  const rows: (Business & { cell: string })[] = [];
  let last: Answer<Business[]> | undefined;
  for (const { name, client } of cells) {
    for await (const answer of pagesOf<Business>(client, listBusinessesOperation.path, {})) {
      rows.push(...answer.data.map((business) => ({ cell: name, ...business })));
      last = answer;
    }
  }
  rows.sort((one, other) => other.business_id - one.business_id);
  const data = rows.slice((page - 1) * per_page, page * per_page);
  const from = data.length === 0 ? 0 : (page - 1) * per_page + 1;
  const pagination = {
    ...{
      total: rows.length,
      per_page,
      current_page: page,
      last_page: Math.max(1, Math.ceil(rows.length / per_page)),
    },
    ...{ from, to: data.length === 0 ? 0 : from + data.length - 1 },
  };
  return { ...(last as Answer<Business[]>), data, meta: { pagination } };
}

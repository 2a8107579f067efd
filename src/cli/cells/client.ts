/** Calls the operations of several cells. A request about a business goes to the cell that has it. */
import { randomUUID } from "node:crypto";
import type { ApiResponse } from "loyalty-sdk";
import type { Place } from "../../backup/copy.ts";
import { isWrite } from "../../contract/operation.ts";
import { defaultPerPage, offsetOf, paginate } from "../../domain/pagination.ts";
import { findBusinessesOperation } from "../../operations/operator/businesses/find.ts";
import { listBusinessesOperation } from "../../operations/operator/businesses/list.ts";
import type { Business } from "../service/businesses.ts";
import { type Failure, rejectFailures } from "../service/cell-failures.ts";
import { type OperatorClient, pagesOf } from "../service/client.ts";
import { operationAt } from "../service/command-names.ts";
import { CliError, exitCodes, usageError } from "../terminal/cli-error.ts";

export interface CellClient {
  readonly name: string;
  readonly client: OperatorClient;
  /** @throws CliError when the configuration does not say where its database is */
  readonly place: () => Place;
}

interface Request {
  readonly business_id?: unknown;
  readonly sandbox_business_id?: unknown;
  readonly page?: number;
  readonly per_page?: number;
  readonly after?: string;
}

export function createCellsClient(cells: readonly [CellClient, ...CellClient[]]): OperatorClient {
  /** The cells in which businesses were found. */
  const homes = new Map<unknown, CellClient>();
  let listed: Promise<Found<Business & { readonly cell: string }>> | undefined;
  const { baseUrl, keyFrom } = cells[0].client;
  return {
    baseUrl,
    keyFrom,
    async call<Data>(path: string, body: Request, signal?: AbortSignal): Promise<ApiResponse<Data>> {
      if (path === listBusinessesOperation.path) {
        // The next pages are of the same list.
        const isFirst = (body.page ?? 1) === 1 && body.after === undefined;
        if (listed === undefined || isFirst) listed = businessesOf(cells);
        return businessPage(await listed, body) as ApiResponse<Data>;
      }
      const id = body.business_id ?? body.sandbox_business_id;
      if (path === findBusinessesOperation.path && id === undefined)
        return (await findInAll(cells, body)) as ApiResponse<Data>;
      if (id === undefined) {
        throw usageError(
          "Several cells are configured, and this command is about one of them.",
          `Name it with --cell: ${cells.map(({ name }) => name).join(", ")}`,
        );
      }
      const home = homes.get(id);
      const inOrder = home === undefined ? cells : [home, ...cells.filter((other) => other !== home)];
      const found = await callHome<Data>(inOrder, path, body, signal);
      homes.set(id, found.cell);
      return found.response;
    },
  };
}

/** Calls one cell after the other until it finds the one that has the business. A cell that does not respond stops only its own businesses. */
async function callHome<Data>(
  cells: readonly CellClient[],
  path: string,
  body: Request,
  signal: AbortSignal | undefined,
): Promise<{ cell: CellClient; response: ApiResponse<Data> }> {
  const operation = operationAt(path);
  // A business may move between two tries. A write that took effect in the old cell is then not repeated in the new one.
  const key = operation !== undefined && isWrite(operation) ? { idempotency_key: randomUUID() } : {};
  let [missing, failure]: CliError[] = [];
  for (const cell of cells) {
    try {
      return { cell, response: await cell.client.call<Data>(path, { ...key, ...body }, signal) };
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      if (error.response?.code === "business_not_found") missing = error;
      else if (error.exitCode === exitCodes.unreachable) failure ??= error;
      else throw error;
    }
  }
  throw failure ?? missing;
}

/** What the cells responded, and the failures of the others. */
interface Found<Row> {
  readonly rows: readonly Row[];
  readonly failures: readonly Failure[];
}

async function askAll<Row extends Business>(
  cells: readonly CellClient[],
  ask: (cell: CellClient) => Promise<Row[]>,
): Promise<Found<Row>> {
  const failures: Failure[] = [];
  const rows = cells.map((cell) =>
    ask(cell).catch((error: unknown) => {
      if (!(error instanceof CliError)) throw error;
      failures.push({ cell: cell.name, message: error.message, exit_code: error.exitCode });
      return [];
    }),
  );
  // After a move, the old cell still has the business until its rows are deleted there.
  const found = new Map((await Promise.all(rows)).flat().map((row) => [row.business_id, row]));
  return { rows: [...found.values()], failures };
}

/** Finds the business of a record. A cell that does not respond could have another one. */
async function findInAll(cells: readonly CellClient[], body: Request): Promise<ApiResponse<Business[]>> {
  const { path, message } = findBusinessesOperation;
  const { rows, failures } = await askAll(
    cells,
    async ({ client }) => (await client.call<Business[]>(path, body)).data,
  );
  rejectFailures(failures);
  return { message, data: [...rows], meta: {} } as ApiResponse<Business[]>;
}

/** The businesses of all cells, newest first, each with the name of its cell. */
async function businessesOf(cells: readonly CellClient[]) {
  const found = await askAll(cells, async ({ name, client }) => {
    const rows: (Business & { readonly cell: string })[] = [];
    for await (const { data } of pagesOf<Business>(client, listBusinessesOperation.path, {}))
      rows.push(...data.map((business) => ({ cell: name, ...business })));
    return rows;
  });
  const rows = found.rows.toSorted((one, other) => other.business_id - one.business_id);
  return { rows, failures: found.failures };
}

/** A page of the businesses. The failures of cells are in `meta`. */
function businessPage(
  { rows, failures }: Found<Business>,
  { page = 1, per_page: perPage = defaultPerPage, after }: Request,
): Pick<ApiResponse, "message" | "data" | "meta"> {
  if (rows.length === 0) rejectFailures(failures);
  const request = { page, perPage };
  // A business that was created meanwhile comes before all others, so the place in the list is that of a number.
  const rest =
    after === undefined
      ? rows.slice(offsetOf(request))
      : rows.filter(({ business_id }) => business_id < Number(after));
  const data = rest.slice(0, perPage);
  const meta = {
    ...(after === undefined && { pagination: paginate(request, rows.length, data.length) }),
    next: data.length < rest.length ? String(data.at(-1)?.business_id) : null,
    ...(failures.length > 0 && { failures }),
  };
  return { message: listBusinessesOperation.message, data, meta };
}

/** `loyalty cell maps`, and `loyalty move business`. */
import type { Command } from "commander";
import { InvalidArgumentError } from "commander";
import type { Progress } from "../../backup/copy.ts";
import { cancelMove, moveBusiness, readRoutesOf } from "../../backup/move-business.ts";
import type { MoveOptions } from "../../backup/move-ends.ts";
import type { RoutedBusiness } from "../../database/moving.ts";
import { OperatorError } from "../../domain/access/operator-error.ts";
import { type Cell, type Cells, cellNamed, placeOfCell, readCells } from "../cells/configuration.ts";
import { checkHaproxy, type Haproxy, type Routes, tellRoutes, writeRoutes } from "../cells/haproxy.ts";
import { type Context, type Options, ServiceCommand } from "../command.ts";
import { type CellFailure, failureText } from "../service/cell-failures.ts";
import { exitCodes, usageError } from "../terminal/cli-error.ts";
import { durationText, numberText } from "../terminal/quantities.ts";
import { confirm, isAsked } from "../terminal/terminal.ts";
import { interruptible } from "./backup.ts";

export function cellCommand(): Command {
  return new ServiceCommand("cell")
    .alias("cells")
    .description("several installations behind one address: maps")
    .addCommand(mapsCommand());
}

function mapsCommand(): Command {
  return new ServiceCommand("maps")
    .summary("Write the maps by which HAProxy finds the cell of a business")
    .description(
      "Writes business.map and client.map from the databases of all cells, and tells the running HAProxy what has changed. Run it " +
        "after you create a business or an integration, or every minute. Without an entry, a request goes to the default cell.",
    )
    .examples("loyalty cell maps")
    .act(async (context) => {
      const cells = requireCells(context);
      const haproxy = requireHaproxy(cells);
      const { entries, failures } = await interruptible(context, "entries", (progress) =>
        writeMaps(cells, haproxy, progress),
      );
      if (failures.length > 0) process.exitCode = exitCodes.unreachable;
      if (context.json) {
        const failed = failures.length > 0 && { failures };
        return context.out.line(JSON.stringify({ maps: haproxy.maps, entries, ...failed }));
      }
      for (const { cell, message } of failures) context.err.line(`${cell} keeps its entries: ${message}`);
      context.out.line(`Wrote ${numberText(entries)} entries to ${haproxy.maps}.`);
    });
}

const mostLooks = 5;

/**
 * Writes the maps and tells HAProxy, until a look changes nothing: a business may have moved after its cell was read. So several commands
 * can do so at once, also on several machines.
 */
async function writeMaps(cells: Cells, haproxy: Haproxy, progress: Progress) {
  for (let look = 1; ; look++) {
    const read = await readEach(cells, cells.cells, progress);
    const { routes, isChanged } = await writeRoutes(haproxy, (now) => routesOf(read, now));
    // Another HAProxy can have routes of a cell that failed, which the file here does not have.
    const told = await tellRoutes(haproxy, routes, read.failures.length === 0);
    if (look < mostLooks && (isChanged || told.isChanged)) continue;
    if (told.fault !== undefined) throw told.fault;
    return { entries: routes.businesses.size + routes.clients.size, failures: read.failures };
  }
}

interface Read {
  readonly found: readonly { readonly cell: Cell; readonly routed: readonly RoutedBusiness[] }[];
  readonly failures: readonly CellFailure[];
}

/** Reads the databases of cells. One that can't be read does not hide the others. @param businessId only this business */
async function readEach(
  configured: Cells,
  cells: readonly Cell[],
  progress: Progress,
  businessId?: number,
): Promise<Read> {
  const found: { cell: Cell; routed: RoutedBusiness[] }[] = [];
  const failures: CellFailure[] = [];
  for (const cell of cells) {
    try {
      const routed = await readRoutesOf(placeOfCell(cell, configured), progress, businessId);
      found.push({ cell, routed });
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      failures.push({ cell: cell.name, message: error.message });
    }
  }
  return { found, failures };
}

/** The routes by what the databases have. While a business moves, its routes stay as they are, and so do those of a cell that failed. */
function routesOf({ found, failures }: Read, now: Routes): Routes {
  const failed = new Set(failures.map(({ cell }) => cell));
  const all = found.flatMap(({ cell, routed }) => routed.map((one) => ({ ...one, cell: cell.name })));
  const mapOf = (known: ReadonlyMap<string, string>, keysOf: (one: RoutedBusiness) => readonly string[]) => {
    const left = new Set(all.filter(({ move_state }) => move_state === "left").flatMap(keysOf));
    const kept = [...known].filter(([key, cell]) => failed.has(cell) || left.has(key));
    // The cell of a copy does not accept requests yet.
    const homes = all.filter(({ move_state }) => move_state !== "left" && move_state !== "arriving");
    return new Map([...kept, ...homes.flatMap((one) => keysOf(one).map((key) => [key, one.cell] as const))]);
  };
  return {
    businesses: mapOf(now.businesses, ({ business_id }) => [String(business_id)]),
    clients: mapOf(now.clients, ({ client_ids }) => client_ids),
  };
}

export function moveCommand(): Command {
  const business = new ServiceCommand("business")
    .summary("Move a business to another cell")
    .description(
      "Moves a business with all its data to another cell. It keeps all its ids, and its tokens, secrets and kept responses stay " +
        "valid. Its rows are copied while it accepts writes, in passes. For the last pass, its writes get 503 service_unavailable " +
        "with Retry-After. The command reads and writes the databases of both cells, compares all rows, and changes the routes of " +
        "HAProxy. It asks before it rejects writes for longer than ten seconds. If it is interrupted, repeat it. The request log and the " +
        "accounts of operators stay.",
    )
    .argument("<id>", "The business.", parseId)
    .requiredOption("--to <cell>", "The name or the URL of the cell to which it moves.")
    .option(
      "--cancel",
      "Go back: the business stays where it was. Possible until the new cell accepts its requests.",
    )
    .option("--yes", "Do not ask for confirmation, however long writes are rejected.")
    .examples("loyalty move business 3 --to south", "loyalty move business 3 --to south --cancel")
    .act((context, options, [id = ""]) => moveBetween(context, Number(id), options));
  return new ServiceCommand("move").description("a business to another cell").addCommand(business);
}

/** The command asks before a longer one, and waits for the answer. The copy is not committed meanwhile. */
const longestPauseSeconds = 10;
const answerWithinMinutes = 5;

async function moveBetween(
  context: Context,
  businessId: number,
  { to: target, cancel: cancels, yes }: Options,
): Promise<void> {
  const cells = requireCells(context);
  const haproxy = requireHaproxy(cells);
  const to = cellNamed(cells, String(target));
  const result = await interruptible(context, "rows", async (progress) => {
    const from = await findHome(cells, to, businessId, progress);
    if (yes !== true && cancels !== true && !isAsked())
      progress.onProgress(
        `There is no terminal for a question, so nothing is moved if writes would be rejected for longer than ${longestPauseSeconds} s. ` +
          "With --yes, it is moved.",
      );
    const options: MoveOptions = {
      ...progress,
      businessId,
      from: placeOfCell(from, cells),
      to: placeOfCell(to, cells),
      checkRoutes: () => checkHaproxy(haproxy),
      beforePause: async (seconds) => {
        if (seconds <= longestPauseSeconds || yes === true) return;
        const pause =
          `Writes of the business are then rejected for about ${durationText(seconds)}. ` +
          `Without an answer in ${answerWithinMinutes} minutes, nothing is moved.`;
        await confirm(`Copy the last rows of business ${businessId}`, pause, answerWithinMinutes * 60_000);
      },
      route: async (end, clientIds) => {
        const { name } = end === "to" ? to : from;
        const businesses = new Map([[String(businessId), name]]);
        const clients = new Map(clientIds.map((client) => [client, name] as const));
        const { fault } = await tellRoutes(haproxy, { businesses, clients });
        // The rows in the old cell are deleted only when all have been told. After a cancellation, the next writing of the maps tells them.
        if (fault !== undefined) progress.onProgress(`Warning: ${fault.message}`);
      },
      writeRoutes: async () => void (await writeMaps(cells, haproxy, progress)),
    };
    if (cancels === true) {
      await cancelMove(options);
      return { from, moved: undefined, pausedMilliseconds: 0 };
    }
    return { from, ...(await moveBusiness(options)) };
  });
  const { from, moved, pausedMilliseconds } = result;
  const paused_seconds = Math.round(pausedMilliseconds / 100) / 10;
  if (context.json) {
    const cell = cancels === true ? from.name : to.name;
    return context.out.line(JSON.stringify({ business_id: businessId, cell, ...moved, paused_seconds }));
  }
  if (cancels === true) return context.out.line(`Business ${businessId} stays in ${from.name}.`);
  const what =
    moved &&
    `: ${numberText(moved.rows)} rows in ${moved.tables} tables are equal; ${numberText(moved.members)} members, ` +
      `${numberText(moved.entries)} entries. Writes paused for ${durationText(paused_seconds)}`;
  context.out.line(`Business ${businessId} is in ${to.name}${what ?? ""}.`);
}

/** The cell from which a business moves: the other one that has it, or any other one if it has moved already. */
async function findHome(cells: Cells, to: Cell, businessId: number, progress: Progress): Promise<Cell> {
  const others = cells.cells.filter((cell) => cell !== to);
  const [first] = others;
  if (first === undefined) throw usageError(`${cells.file} has one cell only.`);
  const { found, failures } = await readEach(cells, others, progress, businessId);
  const home = found.find(({ routed }) => routed.some(({ move_state }) => move_state !== "arriving"));
  if (home !== undefined) return home.cell;
  const [failure] = failures;
  if (failure !== undefined) throw new OperatorError(failureText(failure));
  return first;
}

function requireCells({ fromFile }: Context): Cells {
  const cells = readCells(fromFile);
  if (cells !== undefined) return cells;
  throw usageError(
    "No cells are configured: let LOYALTY_CELLS name a file with the cells.",
    "See docs/SCALING.md.",
  );
}

function requireHaproxy({ haproxy, file }: Cells): Haproxy {
  if (haproxy !== undefined) return haproxy;
  throw usageError(`${file} does not say where the maps of HAProxy are: add haproxy with maps and sockets.`);
}

function parseId(text: string): string {
  if (/^[1-9]\d{0,15}$/.test(text)) return text;
  throw new InvalidArgumentError("It must be the id of a business.");
}

/** `loyalty verify`: recomputes balances and counts from the ledger, business by business. */
import type { Command } from "commander";
import { verifyLedger } from "../../operations/operator/ledger/verify.ts";
import { getStatus } from "../../operations/operator/status/get.ts";
import { type Context, ServiceCommand } from "../command.ts";
import { addField, businessOption } from "../operations/field-options.ts";
import { allBusinesses, type Business, getBusiness } from "../service/businesses.ts";
import type { OperatorClient } from "../service/client.ts";
import { exitCodes } from "../terminal/cli-error.ts";
import { numberText } from "../terminal/quantities.ts";
import { type Row, tableLines } from "../terminal/table.ts";
import { startProgress } from "../terminal/terminal.ts";

const { part } = verifyLedger.input.properties as unknown as { part: { enum: readonly string[] } };
const parts = part.enum;
/** Members may have many entries, and a slice must be short, even on a slow database. */
const limits: Readonly<Record<string, number>> = { accounts: 5000 };
export const partsThroughEntries = ["accounts", "entries", "entry_counts"];

const counted = ["members", "accounts", "entries"] as const;

interface Slice {
  readonly checked: Readonly<Record<(typeof counted)[number], number>>;
  readonly mismatch_count: number;
  /** Of each slice, at most the first hundred. */
  readonly mismatches: readonly Row[];
  readonly next: number | null;
}

type Tell = (entries: number) => void;
type Report = Awaited<ReturnType<typeof verifyBusiness>>;

const reportColumns = ["business_id", "name", "members", "accounts", "entries", "mismatch_count"];
const mismatchColumns = ["kind", "contact_id", "account", "entry_no", "place", "expected", "found"];

export function verifyCommand(): Command {
  const schema = { type: "integer", description: "Only this business." };
  const command = new ServiceCommand("verify")
    .summary("Recompute balances and counts from the ledger")
    .description(
      "Recomputes every balance, every balance_after, the sequence of entry numbers and the counts that lists use, of " +
        "all businesses or of one, and prints each mismatch. You can run it during writes. Exit code 1 means that there " +
        "is a mismatch.",
    )
    .requires(verifyLedger)
    .examples("loyalty verify", "loyalty verify --business 1 --json");
  return addField(command, "business_id", "optional", schema).act((context, options) =>
    verify(context, businessOption(options)),
  );
}

async function verify(context: Context, only: number | undefined): Promise<void> {
  const client = await context.client();
  const businesses = only === undefined ? allBusinesses(client) : [await getBusiness(client, only)];
  const progress = startProgress(context.err, "entries");
  // Known for all businesses of a cell together.
  const cells = only === undefined ? ((await context.cells()) ?? [{ client }]) : [];
  const statuses = cells.map((cell) => cell.client.call<{ entries: number }>(getStatus.path, {}));
  const total = partsThroughEntries.length * sumOf(await Promise.all(statuses), ({ data }) => data.entries);
  let gone = 0;
  const tell: Tell = (entries) => {
    gone += entries;
    progress.at(gone, total === 0 ? undefined : gone / total);
  };
  const reports: Report[] = [];
  for await (const business of businesses) reports.push(await verifyBusiness(client, business, tell));
  progress.end();
  const wrong = sumOf(reports, ({ mismatch_count }) => mismatch_count);
  if (context.json) context.out.line(JSON.stringify({ businesses: reports, mismatch_count: wrong }, null, 2));
  else printReports(context, reports, wrong);
  if (wrong > 0) process.exitCode = exitCodes.failed;
}

/** Verifies all parts of a business, and adds up what was found. */
async function verifyBusiness(client: OperatorClient, { business_id, name }: Business, tell: Tell) {
  const slicesOfParts: Slice[][] = [];
  // The service reads few slices of a business at once, and rejects more.
  for (const part of parts) slicesOfParts.push(await verifyPart(client, business_id, part, tell));
  const slices = slicesOfParts.flat();
  // Each part counts its own rows, and some parts skip rows.
  const most = (name: (typeof counted)[number]) =>
    Math.max(...slicesOfParts.map((slices) => sumOf(slices, ({ checked }) => checked[name])));
  return {
    business_id,
    name,
    members: most("members"),
    accounts: most("accounts"),
    entries: most("entries"),
    mismatch_count: sumOf(slices, ({ mismatch_count }) => mismatch_count),
    mismatches: slices.flatMap(({ mismatches }) => mismatches),
  };
}

async function verifyPart(client: OperatorClient, business_id: number, part: string, tell: Tell) {
  const slices: Slice[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const { data }: { data: Slice } = await client.call(verifyLedger.path, {
      business_id,
      part,
      after,
      limit: limits[part],
    });
    slices.push(data);
    after = data.next;
    tell(data.checked.entries);
  }
  return slices;
}

function sumOf<Item>(items: readonly Item[], amountOf: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + amountOf(item), 0);
}

function printReports({ out }: Context, reports: readonly Report[], wrong: number): void {
  for (const line of tableLines(reportColumns, reports, out)) out.line(line);
  for (const { business_id, name, mismatches, mismatch_count } of reports) {
    if (mismatch_count === 0) continue;
    out.line("");
    out.line(out.style("bold", `Mismatches of business ${business_id}, ${name}:`));
    for (const line of tableLines(mismatchColumns, mismatches, out)) out.line(line);
    const more = mismatch_count - mismatches.length;
    if (more > 0) out.line(`and ${numberText(more)} more.`);
  }
  out.line("");
  out.line(
    wrong === 0
      ? out.style("green", "The ledger is right.")
      : out.style(
          "red",
          `The ledger is wrong: ${numberText(wrong)} ${wrong === 1 ? "mismatch" : "mismatches"}.`,
        ),
  );
}

/** `loyalty rules preview`: what other rules would have given on recorded sales, a part of the members at a time. */
import type { Command } from "commander";
import type { Static } from "typebox";
import { moneyText } from "../../domain/amount-text.ts";
import { type AffectedMember, addPreviews, type Preview, withWorth } from "../../domain/engine/preview.ts";
import { listMembersForOperator } from "../../operations/operator/members/list.ts";
import { previewRules } from "../../operations/operator/rules/preview.ts";
import type { previewPart } from "../../operations/rules/preview.ts";
import { type Context, type Options, ServiceCommand } from "../command.ts";
import { addField, type FieldSchema, givenValue } from "../operations/field-options.ts";
import { type Business, chooseBusiness, getBusiness } from "../service/businesses.ts";
import type { OperatorClient } from "../service/client.ts";
import { inWordsOfCommands } from "../service/command-names.ts";
import { CliError, exitCodes, usageError } from "../terminal/cli-error.ts";
import { numberText } from "../terminal/quantities.ts";
import { type Row, tableLines } from "../terminal/table.ts";
import { startProgress, type Terminal } from "../terminal/terminal.ts";

type Part = Static<typeof previewPart>;
interface Body {
  readonly business_id: number;
  readonly from?: string;
  readonly through?: string;
}

const properties = previewRules.input.properties as unknown as Readonly<Record<string, FieldSchema>>;
/** The command asks for all parts. */
const ofParts = ["after", "limit"];

export function rulesCommand(): Command {
  return new ServiceCommand("rules")
    .description("rules for points that are not in force: preview")
    .addCommand(previewCommand());
}

function previewCommand(): Command {
  const command = new ServiceCommand("preview")
    .summary(previewRules.summary)
    .description(
      "Shows what other rules would have given on the recorded sales of a period, and what today's rules would have " +
        "given. Nothing is changed. Settings that you omit are those of today. Refunds lower what a sale gives. The preview " +
        "does not know how members would have acted with the other rules: the sales and the points that paid for them stay " +
        "as they were. It leaves out sales that were imported without --earn, the dates of points, and points that were " +
        "given by hand. The tiers of members follow from all their sales, also earlier ones, as if the rules had always been " +
        "in force and refunds had been made at once; members keep the tiers that they have by hand now. Points over maximum are what the maximum of an order holds back: customers who split their purchases " +
        "get at most these.",
    );
  for (const [field, schema] of Object.entries(properties)) {
    const need = field === "business_id" ? "found" : field === "from" ? "required" : "optional";
    if (!ofParts.includes(field)) addField(command, field, need, schema);
  }
  for (const option of command.options) {
    Object.assign(option, { description: inWordsOfCommands(option.description, properties) });
  }
  return command
    .examples(
      "loyalty rules preview --from 2026-01-01 --programs 1:earn-points=2",
      "loyalty rules preview --from 2026-01-01 --programs 1:maximum-points-per-order=100",
      "loyalty rules preview --from 2026-01-01 --tiers 2:qualifying-sales=30000,expiry=6",
      "loyalty rules preview --from 2026-01-01 --new-tiers name=Gold,qualifying-sales=30000,expiry=1,expiry-period=year",
      "loyalty rules preview --from 2026-01-01 --through 2026-06-30 --default-program 2 --json",
    )
    .requires(previewRules)
    .act(preview);
}

async function preview(context: Context, options: Options): Promise<void> {
  const given = Object.keys(properties).map((field) => [field, givenValue(field, options)]);
  const fields: Partial<Body> = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  if (fields.from === undefined) {
    throw usageError("The option --from <date> is required.", "See: loyalty rules preview --help");
  }
  const client = await context.client();
  const business = await getBusiness(client, fields.business_id ?? (await chooseBusiness(client)));
  const body = { ...fields, business_id: business.business_id };
  const whole = await previewAll(client, context, body);
  if (context.json) context.out.line(JSON.stringify(whole, null, 2));
  else printPreview(context, body, whole, business);
}

/** Previews all members, part by part. */
async function previewAll(client: OperatorClient, { err }: Context, body: Body) {
  const { business_id } = body;
  const { meta } = await client.call(listMembersForOperator.path, { business_id, per_page: 1 });
  const { total } = meta.pagination as { total: number };
  const progress = startProgress(err, "sales");
  const ask = async (after: number) => (await client.call<Part>(previewRules.path, { ...body, after })).data;
  let part = await ask(0);
  let sum: Preview = part;
  while (part.next !== null) {
    progress.at(sum.sales, sum.members / total);
    const { version } = part;
    part = await ask(part.next);
    if (part.version !== version) {
      throw new CliError(exitCodes.failed, "Somebody has changed the rules meanwhile.", [
        "Run the command again.",
      ]);
    }
    sum = addPreviews(sum, part);
  }
  progress.end();
  const { version, current, proposed } = part;
  const { gains, losses, new_promotions, ...numbers } = sum;
  return {
    ...numbers,
    version,
    current: withWorth(sum.current, current),
    proposed: withWorth(sum.proposed, proposed),
    gains,
    losses,
    new_promotions,
    next: null,
  };
}

type Numeric = "points" | "points_amount" | "capped_sales" | "points_over_maximum";
type Text = (value: number) => string | number;
type Whole = Awaited<ReturnType<typeof previewAll>>;

function printPreview({ out }: Context, { from, through }: Body, whole: Whole, business: Business): void {
  const money = (amount: number) => moneyText(amount, business);
  const { sales, members_with_sales, amount, recorded_points, current, proposed, gains, losses } = whole;
  const period = through === undefined ? `from ${from} on` : `from ${from} through ${through}`;
  out.line(
    `${numberText(sales)} sales ${period}, of ${numberText(members_with_sales)} members, ${money(amount)} after refunds.`,
  );
  out.line("");
  const rowOf = (
    name: string,
    before: number,
    after: number,
    recorded: number | null,
    text: Text = (value) => value,
  ) => ({
    "": name,
    recorded,
    "today's rules": text(before),
    "other rules": text(after),
    difference: text(after - before),
  });
  const row = (name: string, field: Numeric, recorded: number | null = null) =>
    rowOf(name, current[field], proposed[field], recorded, field === "points_amount" ? money : undefined);
  const rows = [
    row("points", "points", recorded_points),
    row("their worth", "points_amount"),
    row("sales over maximum", "capped_sales"),
    row("points over maximum", "points_over_maximum"),
  ];
  const tierRows = proposed.members_by_tier.map(({ tier_id, name, members }) => {
    const before = current.members_by_tier.find((tier) => tier.tier_id === tier_id && tier.name === name);
    const title = name === null ? "members without tier" : `members with ${name}`;
    return rowOf(title, before?.members ?? 0, members, null);
  });
  const all = [...rows, ...tierRows];
  for (const line of tableLines(Object.keys(all[0] as Row), all, out)) out.line(line);
  printRows(
    out,
    "What each new promotion would have given",
    whole.new_promotions.map(({ sales_without_lines, ...one }) => {
      return { ...one, "sales without lines": sales_without_lines };
    }),
  );
  printAffected(out, "The most affected members, with more points", gains);
  printAffected(out, "The most affected members, with fewer points", losses);
}

function printAffected(out: Terminal, title: string, members: readonly AffectedMember[]): void {
  const rows = members.map(({ current_points, proposed_points, ...member }) => {
    const { contact_id, sales, difference } = member;
    return { contact_id, sales, "today's rules": current_points, "other rules": proposed_points, difference };
  });
  printRows(out, title, rows);
}

function printRows(out: Terminal, title: string, rows: readonly Row[]): void {
  if (rows.length === 0) return;
  out.line("");
  out.line(out.style("bold", `${title}:`));
  for (const line of tableLines(Object.keys(rows[0] as Row), rows, out)) out.line(line);
}

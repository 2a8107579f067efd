/** `loyalty report liabilities`: what a business owed on a day, as one table, or as CSV for a spreadsheet. */

import { moneyText } from "../../domain/amount-text.ts";
import { csvLine } from "../../domain/csv.ts";
import { type LiabilitiesReport, reportLiabilities } from "../../operations/operator/reports/liabilities.ts";
import type { Context, Options, ServiceCommand } from "../command.ts";
import { type Business, chooseBusiness, getBusiness } from "../service/businesses.ts";
import { tableLines } from "../terminal/table.ts";
import { operationCommand, requestBody } from "./operation-command.ts";
import { csvOption, showResponse } from "./responses.ts";

/** Something that is owed. A month is the last one in which it can be used; null: it does not end. */
interface Line {
  readonly what: string;
  readonly month?: string | null;
  readonly number: number | null;
  readonly amount: number | null;
}

export function liabilitiesCommand(): ServiceCommand {
  return operationCommand(reportLiabilities)
    .addOption(csvOption())
    .addHelpText("after", "  loyalty report liabilities --business 7 --on 2025-12-31 --csv > liabilities.csv")
    .act(showLiabilities);
}

async function showLiabilities(context: Context, options: Options): Promise<void> {
  const body = requestBody(reportLiabilities, options);
  const client = await context.client();
  const business_id = (body.business_id as number | undefined) ?? (await chooseBusiness(client));
  const response = await client.call<LiabilitiesReport>(reportLiabilities.path, { ...body, business_id });
  if (context.json) return showResponse(reportLiabilities, context, response, undefined);
  const { data } = response;
  if (options.csv) {
    const rows = liabilityLines(data).map(({ what, month, number, amount }) => {
      return [data.on, what, month === null ? "never" : month, number, amount];
    });
    for (const row of [["on", "what", "month", "number", "amount"], ...rows]) {
      await context.out.write(`${csvLine(row)}\n`);
    }
    return;
  }
  printLiabilities(context, data, await getBusiness(client, business_id));
}

/** Everything that is owed, once. */
function liabilityLines(owed: LiabilitiesReport): Line[] {
  const { wallet, wallet_bonus } = owed;
  return [
    ...owed.points_by_month.map(({ points: number, ...rest }) => ({ what: "points", number, ...rest })),
    { what: "points_pending", number: owed.points_pending, amount: owed.points_pending_amount },
    { what: "points_owed", number: owed.points_owed, amount: null },
    { what: "wallet", number: null, amount: wallet - wallet_bonus },
    { what: "wallet_bonus", number: null, amount: wallet_bonus },
    ...owed.vouchers_by_month.map(({ vouchers: number, ...rest }) => ({ what: "vouchers", number, ...rest })),
  ];
}

const names: Readonly<Record<string, string>> = {
  points: "points that expire",
  points_pending: "pending points",
  points_owed: "points that members owe",
  wallet: "money in wallets, paid",
  wallet_bonus: "money in wallets, bonuses",
  vouchers: "vouchers that lapse",
};

function printLiabilities({ out }: Context, owed: LiabilitiesReport, business: Business): void {
  const { points, points_amount, wallet, vouchers, vouchers_amount } = owed;
  const lines = liabilityLines(owed);
  const of = (...kinds: string[]) =>
    lines
      .filter(({ what }) => kinds.includes(what))
      .map((line) => ({
        ...line,
        what: line.month === null ? `${line.what} that don't end` : names[line.what],
      }));
  const rows = [
    ...of("points"),
    { what: "all points", number: points, amount: points_amount },
    ...of("points_pending", "points_owed", "wallet", "wallet_bonus"),
    { what: "all wallets", number: null, amount: wallet },
    ...of("vouchers"),
    { what: "all vouchers", number: vouchers, amount: vouchers_amount },
  ].map(({ amount, ...row }) => ({
    ...row,
    amount: amount === null ? null : moneyText(amount, business),
  }));
  out.line(`Owed at the end of ${owed.on} in ${business.time_zone}:`);
  for (const line of tableLines(["what", "month", "number", "amount"], rows, out)) out.line(line);
}

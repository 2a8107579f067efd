/** Says whether the sales of a business earn points, and how to set up what is missing. */
import type { Static } from "typebox";
import { moneyText } from "../../domain/amount-text.ts";
import { missingToEarn } from "../../domain/engine/rules.ts";
import { checkEarning } from "../../operations/operator/reward-settings/check.ts";
import type { program } from "../../operations/records.ts";
import type { earningState } from "../../operations/rules/settings.ts";
import type { Business } from "../service/businesses.ts";
import type { OperatorClient } from "../service/client.ts";
import type { Fields } from "../service/command-names.ts";
import { numberText } from "../terminal/quantities.ts";

type Program = Static<typeof program>;

/** What keeps the sales of a business from earning, with the command that sets it up; and the default program. */
export interface Earning {
  readonly missing: readonly { readonly what: string; readonly command: string }[];
  readonly program: Program | undefined;
}

/** @param shown a record that the person sees: a program without which no other is the default is looked at, too */
export async function findWhatEarns(
  client: OperatorClient,
  { business_id }: Pick<Business, "business_id">,
  shown?: Fields,
): Promise<Earning> {
  const { data } = await client.call<Static<typeof earningState>>(checkEarning.path, { business_id });
  const program = data.program ?? undefined;
  const candidate = program ?? (shown?.earn_points === undefined ? undefined : (shown as unknown as Program));
  const ofCandidate =
    program === undefined && candidate ? missingToEarn({ enable_rp: true, program: candidate }) : [];
  const id = candidate?.program_id ?? "ID";
  const update = `loyalty program update ${id} --business ${business_id}`;
  const rewardSettingsOf = (verb: string) => `loyalty reward-settings ${verb} --business ${business_id}`;
  const known = {
    rewards_off: { what: "points are switched off", command: `${rewardSettingsOf("update")} --enable-rp` },
    program_without_rate: {
      what: `program ${id} has no rate`,
      command: `${update} --earn-points 1 --earn-amount 100`,
    },
    maximum_is_zero: {
      what: `program ${id} allows 0 points for each sale`,
      command: `${update} --maximum-points-per-order 500`,
    },
    no_program: {
      what: "no program is the default",
      command: `${rewardSettingsOf("rules-update")} --default-program ${id}`,
    },
  };
  // Locations, integrations and sales have commands of their own.
  const found: readonly string[] = [...data.missing, ...ofCandidate];
  return {
    missing: Object.entries(known).flatMap(([code, step]) => (found.includes(code) ? step : [])),
    program,
  };
}

/** The lines at the end of commands that set up points. */
export function earningLines({ missing, program }: Earning, business: Business): string[] {
  if (missing.length > 0) {
    return ["Sales do not earn yet:", ...missing.map(({ what, command }) => `  ${what}: ${command}`)];
  }
  if (program === undefined) return [];
  const { earn_points, earn_amount, maximum_points_per_order: maximum } = program;
  const amount = moneyText(earn_amount, business);
  const points = earn_points === 1 ? "1 point" : `${numberText(earn_points)} points`;
  return [`Sales earn ${points} for each ${amount}, at most ${numberText(maximum)} for each sale.`];
}

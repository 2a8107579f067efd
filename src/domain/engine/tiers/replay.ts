/** Follows the tier of a member from day to day, as if some rules had always been in force. */
import type { SalesDay, TierStanding } from "../../records.ts";
import type { EarningProgram, Rules } from "../rules.ts";
import { tiersIn } from "../standing.ts";
import { programOf, settleTier, tierAfterSale, withTierByHand } from "./tier.ts";

/** What a replay reads of a member. */
export interface TierHistory {
  /** The net sales of each day, the first day first. */
  readonly days: readonly SalesDay[];
  /** The tier that it has by hand now. It gets this tier in the replay, too. */
  readonly byHand: TierStanding | undefined;
}

/** Sales come in the order of their days. Sales that were refunded count as far as they were kept. */
export class TierReplay {
  readonly #rules: Rules;
  readonly #sales: { readonly day: string; net: number }[] = [];
  #byHand: TierStanding | undefined;
  #standing: TierStanding | undefined;

  constructor(rules: Rules, byHand: TierStanding | undefined) {
    this.#rules = rules;
    this.#byHand = byHand;
  }

  /** The tier on the day up to which it was settled; null without one. */
  get tierId(): number | null {
    return this.#standing?.tier_id ?? null;
  }

  /** The program by which a sale earns that comes next. */
  get program(): EarningProgram | null {
    return programOf(this.#rules, this.#standing);
  }

  settle(day: string): void {
    const [byHand] = tiersIn(this.#byHand);
    if (byHand !== undefined && byHand.since <= day) {
      this.#standing = withTierByHand(this.#standing, byHand, this.#rules);
      this.#byHand = undefined;
    }
    const { tier_id = null, ends_on = null } = this.#standing ?? {};
    if (tier_id === null || ends_on === null || ends_on > day) return;
    const past = [{ valid_from: "0001-01-01", rules: this.#rules }];
    this.#standing = settleTier({ standing: this.#standing, sales: this.#sales, past }, day);
  }

  /** Adds a sale of the day up to which it was settled. */
  sell(day: string, net: number): void {
    const member = { standing: this.#standing, sales: this.#sales, rules: this.#rules };
    this.#standing = tierAfterSale(member, { sale_id: null, sold_on: day, net }, day);
    const last = this.#sales.at(-1);
    if (last?.day === day) last.net += net;
    else this.#sales.push({ day, net });
  }
}

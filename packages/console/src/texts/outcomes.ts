/** What a form comes to, by the path of its operation. */
import type { DataOf } from "../api/declarations.ts";
import { outcomes as t } from "./en/outcomes.ts";
import { texts } from "./en/texts.ts";
import { isolated } from "./isolated.ts";

type Money = (amount: number) => string;
type Numbers = Readonly<Record<string, number>>;

/** `record`: what the form is about. `member`: whose it is. `found`: what a preview says. `chosen`: the voucher, the benefit or the tier of the request. */
interface About {
  readonly request: Readonly<{
    adjustment_type?: string;
    amount?: number;
    points?: number;
    voucher_id?: number;
  }>;
  /** An entry that is undone has a signed amount. */
  readonly record: Readonly<{ reference_id: string; campaign_name: string; amount: number }>;
  readonly member?: DataOf<"/op/members/get">;
  readonly found: Numbers;
  readonly chosen: Readonly<{
    amount?: number;
    promo_amount?: number;
    points_price?: number;
    campaign_name?: string;
    name?: string;
  }>;
}

/** The first line stands out. `details`: the fields of the preview that follow. */
export type OutcomeText = Readonly<{ lines: readonly string[]; details?: readonly string[] }>;

export function outcomeText(path: string, about: About, money: Money): OutcomeText {
  const { first_name = "", last_name = "" } = about.member ?? {};
  const name = isolated(`${first_name} ${last_name}`.trim());
  return ways[path]?.(about, money, name || t.member) ?? { lines: [] };
}

const lines = (...all: readonly (string | number | false | undefined)[]) => ({
  lines: all.filter((line): line is string => typeof line === "string" && line !== ""),
});

/** A correction, in its direction. */
const signed = ({ request: { adjustment_type, amount, points = amount } }: About) =>
  points === undefined ? undefined : adjustment_type === "debit" ? -points : points;

type Way = (about: About, money: Money, name: string) => OutcomeText;

const balancesOf = ({ member }: About) =>
  member && {
    wallet: member.wallet_balance,
    points: member.points_balance,
    vouchers: member.vouchers_balance,
  };

/** The member and the balance that a posting leaves. */
const points = (change: number | undefined, { member }: About, name: string) =>
  change !== undefined && member && t.points(name, member.points_balance + change);
const wallet = (change: number | undefined, { member }: About, name: string, money: Money, bonus = 0) =>
  change !== undefined &&
  member &&
  t.wallet(name, money(member.wallet_balance + change + bonus), bonus > 0 ? money(bonus) : undefined);

const ways: Readonly<Record<string, Way | undefined>> = {
  "/op/members/adjust-points": (about, _, name) => lines(points(signed(about), about, name)),
  "/op/members/adjust-wallet": (about, money, name) => lines(wallet(signed(about), about, name, money)),
  "/op/wallet/topup": (about, money, name) => {
    const { amount = about.request.amount, promo_amount } = about.chosen;
    return lines(wallet(amount, about, name, money, promo_amount));
  },
  "/op/wallet/pay": (about, money, name) => {
    const { amount } = about.request;
    return lines(wallet(amount && -amount, about, name, money));
  },
  "/op/reward-points/extend": ({ found: { points: count = 0, remaining = 0 } }) =>
    lines(t.extended(count), remaining > 0 && t.remaining(remaining)),
  "/op/reward-points/redeem": (about, _, name) => {
    const { chosen, request, member } = about;
    const { campaign_name, points_price } = chosen;
    if (campaign_name === undefined) return lines(points(request.points && -request.points, about, name));
    return lines(
      points_price && member && t.bought(name, isolated(campaign_name), member.points_balance - points_price),
    );
  },
  "/op/wallet/reverse": ({ record: { amount } }, money, name) =>
    lines(amount < 0 ? t.backInWallet(name, money(-amount)) : t.topupTaken(name, money(amount))),
  "/op/reward-points/reverse": ({ record: { amount } }, _, name) => lines(t.pointsBack(name, -amount)),
  "/op/members/assign-tier": ({ chosen }, _, name) =>
    lines(chosen.name && t.getsTier(name, isolated(chosen.name))),
  "/op/vouchers/issue": ({ chosen }, _, name) =>
    lines(chosen.campaign_name && t.getsVoucher(name, isolated(chosen.campaign_name))),
  "/op/vouchers/redeem": ({ record }, _, name) => lines(t.usesVoucher(name, isolated(record.campaign_name))),
  "/op/vouchers/reverse": ({ record }, _, name) => lines(t.voucherBack(name, isolated(record.campaign_name))),
  "/op/sales/refund": (about, money, name) => {
    const { request, record, found } = about;
    const { points_clawed: taken = 0, points_back: given = 0, points_balance: left } = found;
    const parts = [
      taken > 0 && t.taken(taken),
      given > 0 && t.given(given),
      left !== undefined && taken + given > 0 && t.keeps(name, left),
    ];
    const whole = t.refund(
      request.amount === undefined ? undefined : money(request.amount),
      record.reference_id,
    );
    const { vouchers_back, vouchers_taken, vouchers_excused } = found as never as Readonly<
      Record<string, number[]>
    >;
    const counts = [vouchers_back, vouchers_taken, vouchers_excused].map((all) => all?.length ?? 0);
    const [back = 0, lost = 0, used = 0] = counts;
    return {
      ...lines(
        texts.forms.titleOf(whole, parts.filter(Boolean).join(", ")),
        texts.refund.vouchers(back, lost, used),
      ),
      // What is 0 does not matter to the customer.
      details: Object.keys(found).filter(
        (field) => field !== "points_balance" && (found[field] ?? 0) > 0 && !Array.isArray(found[field]),
      ),
    };
  },
  "/op/members/merge": ({ found }, money, name) => {
    const { balances, tier } = found as never as DataOf<"/op/members/merge">;
    return {
      ...lines(
        t.merged(name, balances, money),
        texts.merge.tier(tier.name ?? texts.member.noTier, tier.changed),
      ),
      details: ["balances", "merged"],
    };
  },
  "/op/members/erase": (about, money, name) => {
    const has = balancesOf(about);
    return lines(has && Object.values(has).some(Boolean) && t.erased(name, has, money));
  },
  "/op/bulk-grants/start": ({ found: { members_found = 0, points_given = 0, amount = null } }, money) =>
    lines(t.given_to(members_found, points_given), t.worth(amount === null ? null : money(amount))),
  "/op/webhook-deliveries/replay": ({ found }) => {
    const { events, first_event_no, last_event_no } =
      found as never as DataOf<"/op/webhook-deliveries/replay">;
    return lines(texts.webhooks.replayed(events, first_event_no, last_event_no));
  },
};

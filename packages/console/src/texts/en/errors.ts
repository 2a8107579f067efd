/** The texts of errors. */
import { momentText } from "../dates.ts";
import { countedText, wholeText } from "../decimals.ts";

type Details = Readonly<Record<string, unknown>>;
type Money = (amount: number) => string;

const pointsOf = (count: unknown) => countedText(Number(count), "point", "points");

/** Operations with one balance don't say which it is. */
const balanceText = (account: unknown, balance: unknown, money: Money, path: string) =>
  (account ?? (path.includes("points") ? "points" : "wallet")) === "points"
    ? pointsOf(balance)
    : money(Number(balance));

export const errorTexts = {
  /** The messages of errors that the service words for programs. */
  errors: {
    unauthorized: "Your session has ended. Sign in again.",
    sign_in_failed: "The name or the password is wrong.",
    invitation_not_valid: "This link was used before, or is older than 24 hours. Ask for another one.",
    reauthentication_required: "This needs your password again.",
    limit_exceeded: ({ unit, limit, left, resets_at }: Details, money: Money) => {
      const text = (value: unknown) => (unit === "points" ? pointsOf(value) : money(Number(value)));
      return `This is above what you may correct today. Left until ${momentText(String(resets_at))}: ${text(left)} of ${text(limit)}. Ask somebody with a higher limit.`;
    },
    insufficient_balance: ({ account, balance }: Details, money: Money, path: string) =>
      `The balance is too low for this: it is ${balanceText(account, balance, money, path)}.`,
    balance_limit_exceeded: ({ account, balance }: Details, money: Money, path: string) =>
      `The balance would become too large: it is ${balanceText(account, balance, money, path)}.`,
    balances_not_zero: ({ wallet, points, vouchers }: Details, money: Money) =>
      `The member still has something: ${money(Number(wallet))} in the wallet, ${pointsOf(points)}, vouchers of ${money(Number(vouchers))}. If it may be lost, write the reason.`,
    refund_exceeds_sale: ({ refundable }: Details, money: Money) =>
      `No more than ${money(Number(refundable))} can be refunded.`,
    redemption_not_allowed: ({ reason, minimum_points, step, maximum_points }: Details) =>
      reason === "minimum"
        ? `At least ${pointsOf(minimum_points)} can be used at once.`
        : reason === "step"
          ? `Points can be used in steps of ${wholeText(Number(step))}.`
          : maximum_points === undefined
            ? "Points have no value here, so they can't be used."
            : `At most ${pointsOf(maximum_points)} can be used.`,
    clock_step_too_large: ({ to }: Details) =>
      `Too much is due before this time for one step. Advance the clock to ${momentText(String(to))} first.`,
    member_inactive: "This member is deactivated.",
    rate_limited: "Too many requests. Wait a moment, and try again.",
    service_unavailable: "The service is busy. Try again in a moment.",
    internal_error:
      "The service failed. Try again. If it happens again, tell your administrator the number of the request.",
    redemption_not_found: "This entry can't be undone by itself. If it belongs to a sale, refund the sale.",
    movement_not_found: "This entry can't be undone by itself. If it belongs to a sale, refund the sale.",
    already_reversed: "This was undone already.",
    role_not_allowed: ({ role, all_businesses }: Details) =>
      `Your role may not do this. It needs the role ${role}${all_businesses ? " for all businesses" : ""}.`,
    validation_failed: "Some fields are not valid.",
  },

  /** What is wrong with fields, by code. In English, the service says it more exactly. */
  problems: {},
} as const;

import { defineWidgetConfig } from "@medusajs/admin-sdk";
import type { AdminOrder, DetailWidgetProps } from "@medusajs/framework/types";
import { Button } from "@medusajs/ui";
import { money, useLoaded } from "../loaded";
import { Note, Row, Section } from "../section";

interface Answer {
  readonly order: {
    readonly state: keyof typeof states;
    readonly problem: string | null;
    readonly currency: string;
    readonly currency_decimals: number;
    readonly console: string | null;
    readonly sale: {
      readonly amount: number;
      readonly refundable: number;
      readonly points_earned: number;
      readonly points_used: number;
      readonly points_amount: number;
      readonly wallet_used: number;
      readonly voucher_amount: number;
      readonly why: readonly { readonly text: string }[];
      readonly refunds: readonly {
        readonly points_clawed: number;
        readonly points_back: number;
        readonly money_back: number;
      }[];
    } | null;
  } | null;
}

const states = {
  waiting: "Not recorded yet",
  taking: "The checkout is running",
  recorded: "Recorded",
  undoing: "The checkout failed, and the points will be given back",
  undone: "The checkout failed, and the points were given back",
  aside: "Put aside",
  none: "Not recorded",
};

/** What the order has earned, and why. */
function OrderLoyalty({ data: order }: DetailWidgetProps<AdminOrder>) {
  const { data, failed, send } = useLoaded<Answer>(`/admin/loyalty/orders/${order.id}`);
  if (data === undefined) {
    return (
      <Section>
        {<Note>{failed ? "The loyalty service does not respond. Reload the page later." : "Loading…"}</Note>}
      </Section>
    );
  }
  if (data.order === null) {
    return (
      <Section>
        <Note>The order is recorded when it is paid.</Note>
      </Section>
    );
  }
  const { state, problem, sale, currency, currency_decimals, console } = data.order;
  const text = (amount: number) => money(amount, currency, currency_decimals);
  const sum = (name: "points_clawed" | "points_back" | "money_back") =>
    sale?.refunds.reduce((all, one) => all + one[name], 0) ?? 0;
  return (
    <Section link={console}>
      <Row name="State">{states[state]}</Row>
      {problem === null ? null : <Note>{problem}</Note>}
      {state === "aside" || state === "none" ? (
        <div className="px-6 py-4">
          <Button size="small" variant="secondary" onClick={() => void send()}>
            Send it again
          </Button>
        </div>
      ) : null}
      {sale === null ? null : (
        <>
          <Row name="Points earned">{sale.points_earned}</Row>
          <Row name="Why">{sale.why.map((reason) => reason.text).join("; ") || "It earns nothing."}</Row>
          {sum("points_clawed") > 0 ? <Row name="Points taken back">{sum("points_clawed")}</Row> : null}
          {sale.points_used > 0 ? (
            <Row name="Paid with points">
              {sale.points_used} ({text(sale.points_amount)})
            </Row>
          ) : null}
          {sum("points_back") > 0 ? <Row name="Points given back">{sum("points_back")}</Row> : null}
          {sale.voucher_amount > 0 ? <Row name="Paid with vouchers">{text(sale.voucher_amount)}</Row> : null}
          {sale.wallet_used > 0 ? <Row name="Paid from the wallet">{text(sale.wallet_used)}</Row> : null}
          {sale.refundable < sale.amount ? (
            <>
              <Row name="Refunded">{text(sale.amount - sale.refundable)}</Row>
              <Row name="Refunded in money">{text(sum("money_back"))}</Row>
            </>
          ) : null}
        </>
      )}
    </Section>
  );
}

export const config = defineWidgetConfig({ zone: "order.details.after", id: "medusa-plugin-loyalty:order" });

export default OrderLoyalty;

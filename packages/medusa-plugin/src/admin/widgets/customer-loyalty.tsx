import { defineWidgetConfig } from "@medusajs/admin-sdk";
import type { AdminCustomer, DetailWidgetProps } from "@medusajs/framework/types";
import { money, useLoaded } from "../loaded";
import { Note, Row, Section } from "../section";

interface Answer {
  readonly member: {
    readonly contact_id: number;
    readonly currency: string;
    readonly currency_decimals: number;
    readonly console: string | null;
    readonly tier: { readonly name: string } | null;
    readonly balances: {
      readonly rp_name: string;
      readonly points: number;
      readonly points_amount: number;
      readonly wallet: number;
      readonly vouchers: number;
    };
  } | null;
}

/** What the customer has. */
function CustomerLoyalty({ data: customer }: DetailWidgetProps<AdminCustomer>) {
  const { data, failed } = useLoaded<Answer>(`/admin/loyalty/customers/${customer.id}`);
  if (data === undefined) {
    return (
      <Section>
        {<Note>{failed ? "The loyalty service does not respond. Reload the page later." : "Loading…"}</Note>}
      </Section>
    );
  }
  if (data.member === null) {
    return (
      <Section>
        <Note>The customer is no member yet. It becomes one with its first order.</Note>
      </Section>
    );
  }
  const { balances, tier, currency, currency_decimals, console, contact_id } = data.member;
  const text = (amount: number) => money(amount, currency, currency_decimals);
  return (
    <Section link={console}>
      <Row name="Member">{contact_id}</Row>
      <Row name={balances.rp_name}>
        {balances.points} ({text(balances.points_amount)})
      </Row>
      <Row name="Wallet">{text(balances.wallet)}</Row>
      <Row name="Vouchers">{text(balances.vouchers)}</Row>
      <Row name="Tier">{tier?.name ?? "None"}</Row>
    </Section>
  );
}

export const config = defineWidgetConfig({
  zone: "customer.details.after",
  id: "medusa-plugin-loyalty:customer",
});

export default CustomerLoyalty;

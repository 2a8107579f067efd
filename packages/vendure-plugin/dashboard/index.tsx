/** What the dashboard shows on the pages of customers and orders. Vendure builds it with the shop's own dashboard. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, Button, defineDashboardExtension, Money } from "@vendure/dashboard";
import type { ReactNode } from "react";

interface Account {
  readonly contactId: number;
  readonly name: string;
  readonly pointsName: string;
  readonly points: number;
  readonly pointsWorth: number;
  readonly pointsPending: number;
  readonly wallet: number;
  readonly currencyCode: string;
  readonly tier: string | null;
  readonly consoleUrl: string | null;
}

interface Sale {
  readonly saleId: number;
  readonly amount: number;
  readonly amountDue: number;
  readonly pointsUsed: number;
  readonly walletUsed: number;
  readonly vouchersUsed: number;
  readonly pointsEarned: number;
  readonly currencyCode: string;
  readonly why: readonly string[];
  readonly refunds: readonly {
    readonly day: string;
    readonly moneyBack: number;
    readonly pointsBack: number;
    readonly pointsTaken: number;
  }[];
  readonly moneyBack: number;
  readonly consoleUrl: string | null;
}

interface LoyaltyOrder {
  readonly problem: string | null;
  readonly sale: Sale | null;
}

const accountQuery = `query LoyaltyAccount($customerId: ID!) {
  loyaltyAccount(customerId: $customerId) {
    contactId name pointsName points pointsWorth pointsPending wallet currencyCode tier consoleUrl
  }
}`;

const orderFields = `problem sale {
  saleId amount amountDue pointsUsed walletUsed vouchersUsed pointsEarned currencyCode why moneyBack consoleUrl
  refunds { day moneyBack pointsBack pointsTaken }
}`;
const orderQuery = `query LoyaltyOrder($orderId: ID!) { loyaltyOrder(orderId: $orderId) { ${orderFields} } }`;
const sendMutation = `mutation LoyaltySendOrder($orderId: ID!) { loyaltySendOrder(orderId: $orderId) { problem } }`;

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex justify-between gap-4 text-sm">
      <span className="text-muted-foreground">{name}</span>
      <span className="text-right">{children}</span>
    </div>
  );
}

function ConsoleLink({ url }: { url: string | null }) {
  if (url === null) return null;
  return (
    <a className="text-sm text-primary underline" href={url} target="_blank" rel="noreferrer">
      Show in the loyalty console
    </a>
  );
}

/** What keeps the block from showing something; undefined if nothing does. */
function Waiting({ isLoading, error }: { isLoading: boolean; error: Error | null }) {
  return (
    <p className="text-sm text-muted-foreground">{error ? error.message : isLoading ? "Loading…" : ""}</p>
  );
}

function CustomerBlock({ customerId }: { customerId: string }) {
  const { data, isLoading, error } = useQuery<{ loyaltyAccount: Account | null }>({
    queryKey: ["loyaltyAccount", customerId],
    queryFn: () => api.query(accountQuery, { customerId }),
  });
  if (data === undefined) return <Waiting isLoading={isLoading} error={error} />;
  const account = data.loyaltyAccount;
  if (account === null) return <p className="text-sm text-muted-foreground">This customer is no member.</p>;
  const { currencyCode } = account;
  return (
    <div className="flex flex-col gap-2">
      <Row name="Member">{`${account.name} (${account.contactId})`}</Row>
      <Row name={account.pointsName}>
        {account.points} (<Money value={account.pointsWorth} currency={currencyCode} />)
      </Row>
      {account.pointsPending > 0 && <Row name="Not to be spent yet">{account.pointsPending}</Row>}
      <Row name="Wallet">
        <Money value={account.wallet} currency={currencyCode} />
      </Row>
      <Row name="Tier">{account.tier ?? "None"}</Row>
      <ConsoleLink url={account.consoleUrl} />
    </div>
  );
}

function OrderBlock({ orderId }: { orderId: string }) {
  const queries = useQueryClient();
  const queryKey = ["loyaltyOrder", orderId];
  const { data, isLoading, error } = useQuery<{ loyaltyOrder: LoyaltyOrder }>({
    queryKey,
    queryFn: () => api.query(orderQuery, { orderId }),
  });
  const send = useMutation({
    mutationFn: () => api.mutate(sendMutation, { orderId }),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
  if (data === undefined) return <Waiting isLoading={isLoading} error={error} />;
  const { problem, sale } = data.loyaltyOrder;
  return (
    <div className="flex flex-col gap-2">
      {problem !== null && <p className="text-sm text-destructive">{problem}</p>}
      {send.error && <p className="text-sm text-destructive">{send.error.message}</p>}
      {sale === null ? (
        <p className="text-sm text-muted-foreground">
          No sale is recorded. An order gets its sale when it is paid, if its customer is a member.
        </p>
      ) : (
        <SaleRows sale={sale} />
      )}
      <Button variant="outline" size="sm" disabled={send.isPending} onClick={() => send.mutate()}>
        Compare again
      </Button>
    </div>
  );
}

function SaleRows({ sale }: { sale: Sale }) {
  const money = (value: number) => <Money value={value} currency={sale.currencyCode} />;
  return (
    <>
      <Row name="Points earned">{sale.pointsEarned}</Row>
      <ul className="list-disc pl-4 text-sm text-muted-foreground">
        {sale.why.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      {sale.pointsUsed > 0 && <Row name="Paid with points">{sale.pointsUsed}</Row>}
      {sale.walletUsed > 0 && <Row name="Paid with the wallet">{money(sale.walletUsed)}</Row>}
      {sale.vouchersUsed > 0 && <Row name="Paid with vouchers">{money(sale.vouchersUsed)}</Row>}
      <Row name="Paid with money">{money(sale.amountDue)}</Row>
      {sale.refunds.map((refund) => (
        <Row
          key={`${refund.day} ${refund.moneyBack} ${refund.pointsBack}`}
          name={`Returned on ${refund.day}`}
        >
          {money(refund.moneyBack)}, {refund.pointsBack} points back, {refund.pointsTaken} points taken
        </Row>
      ))}
      {sale.moneyBack > 0 && <Row name="Money for the rest">{money(sale.moneyBack)}</Row>}
      <ConsoleLink url={sale.consoleUrl} />
    </>
  );
}

defineDashboardExtension({
  pageBlocks: [
    {
      id: "loyalty-customer",
      title: "Loyalty",
      location: {
        pageId: "customer-detail",
        column: "side",
        position: { blockId: "status", order: "after" },
      },
      component: ({ context }) => (context.entity ? <CustomerBlock customerId={context.entity.id} /> : null),
    },
    {
      id: "loyalty-order",
      title: "Loyalty",
      location: { pageId: "order-detail", column: "side", position: { blockId: "customer", order: "after" } },
      component: ({ context }) => (context.entity ? <OrderBlock orderId={context.entity.id} /> : null),
    },
  ],
});

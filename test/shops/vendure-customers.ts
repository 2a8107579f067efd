/** What customers and administrators of the shop do, as GraphQL. */
import type { Session, VendureShop } from "./vendure-shop.ts";

export interface Person {
  readonly emailAddress: string;
  readonly phoneNumber: string;
  readonly firstName: string;
  readonly lastName: string;
}

const address = {
  fullName: "Ana López",
  streetLine1: "Calle 1",
  city: "Madrid",
  postalCode: "28001",
  countryCode: "ES",
};

/** Registers a customer, and signs in. */
export async function signUp(shop: VendureShop, person: Person): Promise<Session> {
  const session = shop.session("shop-api");
  await session.ask(
    "mutation($input: RegisterCustomerInput!) { registerCustomerAccount(input: $input) { __typename } }",
    { input: { ...person, password: "secret-password" } },
  );
  return signIn(shop, person);
}

export async function signIn(
  shop: VendureShop,
  { emailAddress }: Pick<Person, "emailAddress">,
): Promise<Session> {
  const session = shop.session("shop-api");
  const { login } = await session.ask(
    `mutation($name: String!) { login(username: $name, password: "secret-password") { __typename } }`,
    { name: emailAddress },
  );
  if (login.__typename !== "CurrentUser") throw new Error(`can't sign in: ${login.__typename}`);
  return session;
}

/** Puts goods into the cart, by the numbers of their variants: 1 is a mug, 2 is tea, 3 is a spoon. */
export async function fill(session: Session, goods: Readonly<Record<number, number>>): Promise<void> {
  for (const [id, quantity] of Object.entries(goods)) {
    await session.ask(
      "mutation($id: ID!, $quantity: Int!) { addItemToOrder(productVariantId: $id, quantity: $quantity) { __typename ... on ErrorResult { message } } }",
      { id, quantity },
    );
  }
  await session.ask(
    `mutation($input: CreateAddressInput!) {
      setOrderShippingAddress(input: $input) { __typename }
      setOrderShippingMethod(shippingMethodId: [1]) { __typename ... on ErrorResult { message } }
    }`,
    { input: address },
  );
}

const orderFields = "id code state totalWithTax active loyalty { points wallet worth problem }";

export async function cart(session: Session) {
  return (await session.ask(`{ activeOrder { ${orderFields} } }`)).activeOrder;
}

export async function choose(session: Session, points: number, wallet = 0, vouchers: number[] = []) {
  return (
    await session.ask(
      `mutation($points: Int!, $wallet: Money!, $vouchers: [Float!]) { loyaltyPay(points: $points, wallet: $wallet, vouchers: $vouchers) {
        __typename ... on Order { ${orderFields} } ... on LoyaltyPaymentError { message loyaltyCode } } }`,
      { points, wallet, vouchers },
    )
  ).loyaltyPay;
}

export async function toPayment(session: Session) {
  return (
    await session.ask(
      `mutation { transitionOrderToState(state: "ArrangingPayment") {
        __typename ... on Order { ${orderFields} } ... on OrderStateTransitionError { message transitionError } } }`,
    )
  ).transitionOrderToState;
}

/** @param hold whether the transaction that places the order waits until the shop releases it */
export async function pay(
  session: Session,
  state: "Settled" | "Authorized" | "Declined" = "Settled",
  hold = false,
) {
  return (
    await session.ask(
      `mutation($metadata: JSON!) { addPaymentToOrder(input: { method: "card", metadata: $metadata }) {
        __typename ... on Order { ${orderFields} } ... on ErrorResult { errorCode message } } }`,
      { metadata: { state, hold } },
    )
  ).addPaymentToOrder;
}

/** Buys the cart as it is. */
export async function buy(session: Session, state: "Settled" | "Authorized" = "Settled") {
  await toPayment(session);
  return pay(session, state);
}

/** An order with what its administration needs. */
export async function orderOf(admin: Session, id: string) {
  return (
    await admin.ask(
      `query($id: ID!) { order(id: $id) { id code state totalWithTax lines { id quantity proratedUnitPriceWithTax productVariant { sku } }
        payments { id amount state refunds { id total state } } } }`,
      { id },
    )
  ).order;
}

/** Changes the quantity of the first line of an order that is paid, with a payment for what is more, as the dashboard does. */
export async function adjustLine(admin: Session, id: string, quantity: number): Promise<void> {
  const [{ id: orderLineId }] = (await orderOf(admin, id)).lines;
  const toState = (state: string) =>
    admin.ask(
      "mutation($id: ID!, $state: String!) { transitionOrderToState(id: $id, state: $state) { __typename ... on ErrorResult { message } } }",
      { id, state },
    );
  await toState("Modifying");
  await admin.ask(
    "mutation($input: ModifyOrderInput!) { modifyOrder(input: $input) { __typename ... on ErrorResult { message } } }",
    { input: { orderId: id, dryRun: false, adjustOrderLines: [{ orderLineId, quantity }] } },
  );
  await toState("ArrangingAdditionalPayment");
  await admin.ask(
    "mutation($input: ManualPaymentInput!) { addManualPaymentToOrder(input: $input) { __typename ... on ErrorResult { message } } }",
    { input: { orderId: id, method: "card", transactionId: "1", metadata: {} } },
  );
  await toState("PaymentSettled");
}

/** Takes lines back and pays for them, as the dashboard does. */
export async function returnLines(
  admin: Session,
  id: string,
  lines: readonly { readonly orderLineId: string; readonly quantity: number }[],
  amount: number,
  nthPayment = 0,
) {
  const { payments } = await orderOf(admin, id);
  const { cancelOrder, refundOrder } = await admin.ask(
    `mutation($cancel: CancelOrderInput!, $refund: RefundOrderInput!) {
      cancelOrder(input: $cancel) { __typename ... on ErrorResult { message } }
      refundOrder(input: $refund) { __typename ... on ErrorResult { message } ... on Refund { total state } }
    }`,
    {
      cancel: { orderId: id, lines, cancelShipping: false },
      refund: {
        lines,
        shipping: 0,
        adjustment: 0,
        amount,
        paymentId: payments[nthPayment].id,
        reason: "Too small",
      },
    },
  );
  return { cancelOrder, refundOrder };
}

export async function loyaltyOrder(admin: Session, orderId: string) {
  return (
    await admin.ask(
      `query($orderId: ID!) { loyaltyOrder(orderId: $orderId) { problem sale { saleId amount amountDue pointsUsed walletUsed vouchersUsed pointsEarned why
        refunds { amount moneyBack pointsBack pointsTaken } moneyBack consoleUrl } } }`,
      { orderId },
    )
  ).loyaltyOrder;
}

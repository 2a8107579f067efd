/**
 * What the plugin stores with orders and customers, in tables of its own. They are no custom fields: Vendure lets a customer write any
 * custom field of an order and of the own account if none of them is meant for customers.
 */
import { Inject, Injectable } from "@nestjs/common";
import {
  Customer,
  type DeepPartial,
  EntityId,
  type ID,
  Order,
  type RequestContext,
  TransactionalConnection,
  VendureEntity,
} from "@vendure/core";
import { Column, Entity, In, JoinColumn, OneToOne } from "typeorm";

/** Numbers of the service can be larger than 32 bits, which some databases return as text. */
const transformer = {
  from: (stored: string | number | null) => (stored === null ? null : Number(stored)),
  to: (value: number | null) => value,
};
// Vendure's dashboard reads the decorators of plugins, and can't read one with a spread.
const count = { type: "bigint", transformer, default: 0 } as const;
const number = { type: "bigint", transformer, nullable: true } as const;

@Entity()
export class LoyaltyOrder extends VendureEntity {
  constructor(input?: DeepPartial<LoyaltyOrder>) {
    super(input);
  }

  @OneToOne(() => Order, { onDelete: "CASCADE" })
  @JoinColumn()
  order!: Order;

  @EntityId()
  orderId!: ID;

  /** The points that the customer chose to pay with. */
  @Column(count)
  points!: number;

  /** The part that the wallet pays, in the shop's money. */
  @Column(count)
  wallet!: number;

  /** The vouchers that the customer chose, by held_voucher_id. */
  @Column({ type: "simple-json", nullable: true })
  vouchers!: readonly number[] | null;

  /** What all this is worth: the discount of the order, in the shop's money, taxes included. */
  @Column(count)
  worth!: number;

  /** Whether a checkout that failed may have left a sale: the customer has chosen some since the sweep has looked. */
  @Column({ type: "boolean", default: false })
  chosen!: boolean;

  /** The sale of the order in the service. */
  @Column(number)
  saleId!: number | null;

  /** The order was compared with its sale as it was at this time. */
  @Column({ type: Date, nullable: true })
  comparedAt!: Date | null;

  /** Why a person has to look at it. */
  @Column({ type: "text", nullable: true })
  problem!: string | null;
}

@Entity()
export class LoyaltyCustomer extends VendureEntity {
  constructor(input?: DeepPartial<LoyaltyCustomer>) {
    super(input);
  }

  @OneToOne(() => Customer, { onDelete: "CASCADE" })
  @JoinColumn()
  customer!: Customer;

  @EntityId()
  customerId!: ID;

  /** The member that the customer is. */
  @Column(number)
  contactId!: number | null;
}

type OrderValues = Pick<
  LoyaltyOrder,
  "points" | "wallet" | "vouchers" | "worth" | "chosen" | "saleId" | "comparedAt" | "problem"
>;

const nothing: OrderValues = {
  ...{ points: 0, wallet: 0, vouchers: null, worth: 0, chosen: false },
  ...{ saleId: null, comparedAt: null, problem: null },
};

@Injectable()
export class Records {
  constructor(@Inject(TransactionalConnection) private readonly connection: TransactionalConnection) {}

  async order(ctx: RequestContext, orderId: ID): Promise<OrderValues> {
    const found = await this.connection.getRepository(ctx, LoyaltyOrder).findOne({ where: { orderId } });
    return found ?? nothing;
  }

  /**
   * Holds the row of an order until the end of the transaction, so that what pays for the order stays as it is, and reads it. A row that
   * the transaction has written is read as it is now, also where other rows are read as they were when it began.
   */
  async holdOrder(ctx: RequestContext, orderId: ID): Promise<OrderValues> {
    await this.keepOrder(ctx, orderId, { updatedAt: new Date() });
    return this.order(ctx, orderId);
  }

  /** Stores that a checkout may leave a sale, whatever becomes of the transaction: a transaction that fails takes its own mark away. */
  async markChosen(orderId: ID): Promise<void> {
    await this.connection.rawConnection.getRepository(LoyaltyOrder).update({ orderId }, { chosen: true });
  }

  /** Changes what is stored with an order, and holds its row until the end of the transaction. */
  async keepOrder(
    ctx: RequestContext,
    orderId: ID,
    values: Partial<OrderValues & Pick<LoyaltyOrder, "updatedAt">>,
  ): Promise<void> {
    const orders = this.connection.getRepository(ctx, LoyaltyOrder);
    // Two requests may be the first for an order.
    await orders.createQueryBuilder().insert().values({ orderId }).orIgnore().execute();
    await orders.update({ orderId }, values);
  }

  async contact(ctx: RequestContext, customerId: ID): Promise<number | undefined> {
    const found = await this.connection
      .getRepository(ctx, LoyaltyCustomer)
      .findOne({ where: { customerId } });
    return found?.contactId ?? undefined;
  }

  async keepContact(ctx: RequestContext, customerId: ID, contactId: number): Promise<void> {
    const customers = this.connection.getRepository(ctx, LoyaltyCustomer);
    await customers.createQueryBuilder().insert().values({ customerId }).orIgnore().execute();
    await customers.update({ customerId }, { contactId });
  }

  /** Follows members that were merged into another one, or erased. */
  async moveContacts(from: readonly number[], to: number | null): Promise<void> {
    await this.connection.rawConnection
      .getRepository(LoyaltyCustomer)
      .update({ contactId: In([...from]) }, { contactId: to });
  }
}

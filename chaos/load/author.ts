/** Makes valid requests at random, and remembers what they created. */
import type { Random } from "../../test/support/random.ts";
import { type Fields, publicCodes } from "../../test/support/runs/operator.ts";
import type { Command, Partner, Request } from "./partner.ts";

/** Each kind of write with its share of the usual mix. */
const mix = {
  adjustment: 560,
  topup: 20,
  payment: 20,
  movementReversal: 10,
  voucher: 20,
  voucherRedemption: 10,
  voucherReversal: 5,
  sale: 100,
  refund: 60,
  member: 40,
  update: 50,
  password: 2,
  benefit: 20,
  benefitUpdate: 18,
  definition: 15,
} as const;
export type Kind = keyof typeof mix;
export const kinds = Object.keys(mix) as Kind[];
/** Each kind as often as its share. */
const drawn = kinds.flatMap((kind) => Array<Kind>(mix[kind]).fill(kind));

/** Creates members, sales and benefits of its own. Several authors move the accounts of the same members. */
export class Author {
  readonly #name: string;
  readonly #number: number;
  readonly #random: Random;
  readonly #partner: Partner;
  readonly #contactIds: readonly number[];
  readonly #members: number[] = [];
  readonly #benefits: number[] = [];
  /** With the amounts of its lines, until it is refunded. */
  readonly #sales: { readonly sale_id: number; refundable: number; lines: readonly number[] }[] = [];
  /** Top-ups and payments that are not reversed. */
  readonly #movements = new Set<number>();
  /** The vouchers that it issued, with their members. Those of sales are in neither. */
  readonly #held = new Map<number, number>();
  readonly #redeemed = new Map<number, number>();
  #keys = 0;

  /**
   * @param name different for each author of a business
   * @param number of the tier and the program that only this author changes; 0 changes the settings instead
   * @param contactIds the members whose accounts it moves
   */
  constructor(name: string, number: number, random: Random, partner: Partner, contactIds: readonly number[]) {
    this.#name = name;
    this.#number = number;
    this.#random = random;
    this.#partner = partner;
    this.#contactIds = contactIds;
  }

  nextKey(): string {
    this.#keys += 1;
    return `author-${this.#name}-${this.#keys}`;
  }

  /** A kind of write by its share of the mix. */
  nextKind(): Kind {
    return this.#random.pick(drawn);
  }

  /** A credit of 1, or the creation of a member. */
  credit(creates: boolean): Command {
    const key = this.nextKey();
    if (creates) return this.#partner.creation(key);
    return this.#partner.adjustment(key, this.#random.pick(this.#contactIds), 1);
  }

  /** A write, or another one if there is nothing yet to which it could be. Its values differ each time. */
  write(kind: Kind, key = this.nextKey()): Command {
    const random = this.#random;
    const command = (path: string, fields: Fields): Command => ({
      path,
      body: { idempotency_key: key, ...fields },
    });
    const name = `${key} ${random.below(1_000_000)}`;
    const [member, benefit_id] = [random.pick(this.#members), random.pick(this.#benefits)];
    switch (kind) {
      case "adjustment":
        return this.#adjustment(key);
      case "sale": {
        const voucher = random.chance(0.2) ? random.pick([...this.#held]) : undefined;
        const contact_id = voucher?.[1] ?? random.pick(this.#contactIds);
        // More than a voucher, points and the wallet pay together.
        const amount = 400 + random.below(5000);
        const wallet = random.chance(0.3) ? { use_wallet: 1 + random.below(50) } : {};
        const points = random.chance(0.3) ? { use_points: 1 + random.below(10) } : {};
        const lines = random.chance(0.5) ? this.#linesOf(amount) : undefined;
        return command("/sp/sales/record", {
          contact_id,
          location_id: this.#location(),
          amount,
          reference_id: key,
          ...wallet,
          ...points,
          ...(voucher !== undefined ? { use_vouchers: [voucher[0]] } : this.#codesFor(lines)),
          ...(lines && { lines }),
        });
      }
      case "refund": {
        const sale = random.pick(this.#sales);
        if (sale === undefined || sale.refundable === 0) return this.write("sale", key);
        if (sale.lines.length > 0 && random.chance(0.5)) {
          const lines = [{ line_no: 1 + random.below(sale.lines.length) }];
          const of = { sale_id: sale.sale_id, location_id: this.#location(), reference_id: key };
          return command("/sp/sales/refund", { ...of, lines });
        }
        const amount = random.chance(0.3) ? sale.refundable : 1 + random.below(sale.refundable);
        const fields = { sale_id: sale.sale_id, location_id: this.#location(), amount, reference_id: key };
        return command("/sp/sales/refund", fields);
      }
      case "topup":
      case "payment": {
        const fields = { contact_id: random.pick(this.#contactIds), location_id: this.#location() };
        const amount = 1 + random.below(500);
        const path = kind === "topup" ? "/sp/wallet/topup" : "/sp/wallet/pay";
        return command(path, { ...fields, amount, reference_id: key });
      }
      case "movementReversal": {
        const movement_id = random.pick([...this.#movements]);
        if (movement_id === undefined) return this.write("topup", key);
        return command("/sp/wallet/reverse", { movement_id, location_id: this.#location() });
      }
      case "voucher": {
        const voucher_id = random.pick(this.#partner.business.voucherIds);
        if (voucher_id === undefined) return this.write("topup", key);
        const contact_id = random.pick(this.#contactIds);
        return command("/sp/vouchers/issue", { contact_id, voucher_id, reference_id: key });
      }
      case "voucherRedemption": {
        const held = random.pick([...this.#held]);
        if (held === undefined) return this.write("voucher", key);
        const [held_voucher_id, contact_id] = held;
        const fields = { contact_id, location_id: this.#location(), held_voucher_id };
        return command("/sp/vouchers/redeem", { ...fields, reference_id: key });
      }
      case "voucherReversal": {
        const redeemed = random.pick([...this.#redeemed]);
        if (redeemed === undefined) return this.write("voucherRedemption", key);
        return command("/sp/vouchers/reverse", { held_voucher_id: redeemed[0] });
      }
      case "member": {
        const creation = this.#partner.creation(key);
        return { ...creation, body: { ...creation.body, first_name: name, email: `${key}@example.com` } };
      }
      case "update": {
        if (member === undefined) return this.write("member", key);
        const fields = {
          contact_id: member,
          last_name: name,
          email: `${key}.${random.below(1000)}@example.com`,
        };
        if (random.chance(0.5)) return command("/sp/members/update", fields);
        return command("/sp/members/profile/update", {
          ...fields,
          date_of_birth: `19${10 + random.below(90)}-04-17`,
        });
      }
      case "password":
        if (member === undefined) return this.write("member", key);
        return command("/sp/members/password/change", {
          contact_id: member,
          new_password: `long enough ${name}`,
        });
      case "benefit": {
        const fields = { location_id: this.#location(), amount: 1 + random.below(10_000), promo_amount: 5 };
        return command("/sp/wallet/topup-benefits/create", { title: name, status: "active", ...fields });
      }
      case "benefitUpdate": {
        if (benefit_id === undefined) return this.write("benefit", key);
        const fields = {
          benefit_id,
          promo_amount: random.below(1000),
          status: random.pick(["active", "inactive"]),
        };
        return command("/sp/wallet/topup-benefits/update", fields);
      }
      case "definition":
        return this.#definition(name, command);
    }
  }

  #adjustment(key: string): Command {
    const random = this.#random;
    const amount = 1 + random.below(1000);
    const { path, body } = this.#partner.adjustment(
      key,
      random.pick(this.#contactIds),
      random.chance(0.45) ? amount : -amount,
    );
    if (random.chance(0.5)) return { path, body: { ...body, location_id: this.#location() } };
    const { location_id: _, amount: points, ...fields } = body;
    return { path: "/sp/reward-points/adjust", body: { ...fields, points: points as number } };
  }

  #definition(name: string, command: (path: string, fields: Fields) => Command): Command {
    const { tierIds, programIds } = this.#partner.business;
    if (this.#number === 0) {
      return command("/sp/reward-settings/update", { enable_rp: this.#random.chance(0.5), rp_name: name });
    }
    if (this.#random.chance(0.5)) {
      const tier_id = tierIds[this.#number] as number;
      return command("/sp/member-tiers/update", { tier_id, name, expiry: 1 + this.#random.below(1200) });
    }
    const program_id = programIds[this.#number] as number;
    return command("/sp/reward-programs/update", { program_id, membership_name: name });
  }

  /** Remembers what an acknowledged write created. */
  learn({ path, body }: Request, data: Fields): void {
    if (path === "/sp/members/create") this.#members.push(data.contact_id as number);
    if (path === "/sp/wallet/topup-benefits/create") this.#benefits.push(data.benefit_id as number);
    if (path === "/sp/sales/record") {
      const lines = ((body.lines ?? []) as { amount: number }[]).map(({ amount }) => amount);
      this.#sales.push({ sale_id: data.sale_id as number, refundable: body.amount as number, lines });
    }
    const contact_id = Number(body.contact_id);
    const [held, movement] = [Number(data.held_voucher_id), Number(data.movement_id)];
    if (path === "/sp/wallet/topup" || path === "/sp/wallet/pay") this.#movements.add(movement);
    if (path === "/sp/wallet/reverse") this.#movements.delete(movement);
    if (path === "/sp/vouchers/issue") this.#held.set(held, contact_id);
    if (path === "/sp/vouchers/redeem") {
      this.#held.delete(held);
      this.#redeemed.set(held, contact_id);
    }
    if (path === "/sp/vouchers/reverse") {
      this.#held.set(held, this.#redeemed.get(held) as number);
      this.#redeemed.delete(held);
    }
    for (const used of (body.use_vouchers ?? []) as readonly number[]) this.#held.delete(used);
    const refunded =
      path === "/sp/sales/refund" && this.#sales.find(({ sale_id }) => sale_id === body.sale_id);
    if (refunded) {
      refunded.refundable -= data.refunded as number;
      refunded.lines = [];
    }
  }

  /** A read of something that exists. */
  read(): Request {
    return this.#random.pick<Request>([
      { path: "/sp/transactions/list", body: { contact_id: this.#random.pick(this.#contactIds) } },
      { path: "/sp/transactions/list", body: { page: 1 + this.#random.below(5) } },
      { path: "/sp/members/list", body: {} },
      { path: "/sp/member-tiers/list", body: {} },
    ]);
  }

  /** The lines of a receipt, of which the last one gets the rest. */
  #linesOf(amount: number) {
    const random = this.#random;
    const count = 1 + random.below(3);
    const each = Math.floor(amount / (count + 1));
    return Array.from({ length: count + 1 }, (_, nth) => ({
      category: random.pick(["coffee", "cake", "tea"]),
      quantity: 1 + random.below(3),
      amount: nth === count ? amount - each * count : each,
    }));
  }

  /** A public code that can pay a part of such a sale, now and then. */
  #codesFor(lines: readonly { readonly category: string }[] = []) {
    const code = this.#random.pick(Object.values(publicCodes));
    const hasItem = code === publicCodes.share || lines.some(({ category }) => category === "coffee");
    const uses = this.#partner.business.hasCodes && hasItem && this.#random.chance(0.3);
    return uses ? { use_codes: [code] } : {};
  }

  #location(): number {
    return this.#random.pick(this.#partner.business.locationIds);
  }
}

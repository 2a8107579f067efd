/** The page of a member: what operations answer about it at that moment, from one snapshot. */
import { CODE128 } from "jsbarcode/bin/barcodes/CODE128/index.js";
import { encode } from "uqr";
import type {
  FindLogo,
  FindMemberPage,
  MemberPage,
  PageBalances,
  PageMovement,
  PageProgress,
  PagePromotion,
  PageReason,
} from "../../contract/member-page.ts";
import type { ListOperation, ReadOperation } from "../../contract/operation.ts";
import type { Services } from "../../contract/services.ts";
import { hashSecret, placeOfWallet } from "../../credentials/keys.ts";
import { findLogo } from "../../database/access/businesses.ts";
import type { Session, Share } from "../../database/connection.ts";
import { findMemberAndRules } from "../../database/engine/members.ts";
import { findRulesVersion } from "../../database/engine/rules.ts";
import { isTransient } from "../../database/faults.ts";
import {
  findAnonymous,
  findPageOwner,
  findPlacesOfPromotions,
  type PageOwner,
} from "../../database/members/pages.ts";
import { anyLocation } from "../../domain/access/access.ts";
import { giftLapseReason, readableCode } from "../../domain/cards.ts";
import { picturesOf } from "../../domain/code-pictures.ts";
import { explainEarning } from "../../domain/engine/earning/earning.ts";
import { OverloadedError } from "../../domain/fair-queue.ts";
import { mergedWith } from "../../domain/merge-references.ts";
import { rejectWhileMoving } from "../../domain/moving.ts";
import { Rejection } from "../../domain/rejection.ts";
import { listTransactionsForOperator } from "../operator/transactions/list.ts";
import { listCardsOperation } from "../partner/cards/list.ts";
import { getBalances } from "../partner/members/balances.ts";
import { getMember } from "../partner/members/get.ts";
import { listPromotions } from "../partner/promotions/list.ts";
import { listStampCards } from "../partner/stamp-cards/list.ts";
import { listVouchersOfMember } from "../partner/vouchers/list.ts";

/** The number of the business, and a token of 160 bits in base64url. */
const address = /^(\d{1,15})\.([\w-]{27})$/;

export function readAddress(token: string) {
  const [, business = "", secret = ""] = address.exec(token) ?? [];
  return { businessId: Number(business), secret };
}

const logoAddress = /^(\d{1,15})\.([\da-f]{32})$/;

/** @param shareOf the connections of a business */
export const logosOf =
  (shareOf: (businessId: number) => Share): FindLogo =>
  async (token) => {
    const [, business = "", digest] = logoAddress.exec(token) ?? [];
    const businessId = Number(business);
    return digest === undefined ? undefined : findLogo(shareOf(businessId), businessId, digest);
  };

const mostMovements = 10;
const mostListed = 100;

/** @param shareOf the connections of a business */
export function memberPages(shareOf: (businessId: number) => Share, services: PageServices): FindMemberPage {
  return async (token) => {
    const { businessId, secret } = readAddress(token);
    if (secret === "") return undefined;
    const page = shareOf(businessId).begin(async (tx) => {
      const owner = await findPageOwner(tx, businessId, hashSecret(secret));
      if (rejectWhileMoving(owner?.move_state, false) !== undefined) return "busy";
      return owner && readMemberPage(tx, businessId, owner, services);
    }, "ISOLATION LEVEL REPEATABLE READ READ ONLY");
    return page.catch((error: unknown) => {
      if (error instanceof OverloadedError || isTransient(error)) return "busy";
      throw error;
    });
  };
}

/** The parts of the process that a page needs; it reads in its own transaction. */
export type PageServices = Omit<Services, "lookUps" | "longRunning">;

export async function readMemberPage(
  tx: Session,
  businessId: number,
  owner: PageOwner,
  services: PageServices,
): Promise<MemberPage> {
  const { contact_id, first_name, anonymous, wallet_valid_through, sealed_wallets, ...business } = owner;
  const share = tx as unknown as Share;
  const { findIn } = services.members;
  const context = {
    sql: share,
    caller: {
      businessId,
      timeZone: owner.time_zone,
      country: owner.country,
      locations: anyLocation,
      mayUse: () => true,
    },
    // Everything is read in the transaction.
    services: {
      ...services,
      lookUps: share,
      members: { findIn, find: (_: unknown, wanted: never) => findIn(tx, wanted) },
    },
    reject: (code: never, details: never) => new Rejection(code, details),
  };
  const ask = async <Data>({ read }: ReadOperation): Promise<Data> =>
    accepted(await read({ ...context, input: { contact_id } } as never)) as Data;
  const list = async <Row>(
    operation: ListOperation,
    more: object = {},
    perPage = mostListed,
  ): Promise<Row[]> => {
    const page = { page: 1, perPage };
    const listed = await operation.list({ ...context, page, input: { contact_id, ...more } } as never);
    return [...(accepted(listed) as { rows: readonly Row[] }).rows];
  };
  const movements = await list<Movement>(listTransactionsForOperator, {}, mostMovements);
  const promotions = await list<ListedPromotion>(listPromotions);
  const places = await findPlacesOfPromotions(tx, businessId);
  const cards = await list<{ card_code: string; status: string }>(listCardsOperation);
  const code = cards.find(({ status }) => status === "active")?.card_code;
  return {
    business,
    wallets: (["apple", "google"] as const).filter((kind) => {
      const sealed = sealed_wallets[kind];
      return sealed !== undefined && services.canUnseal(sealed, placeOfWallet(businessId, kind));
    }),
    first_name: anonymous === null ? first_name : "",
    card: code === undefined ? null : { code: readableCode(code), ...picturesOf(code, { encode, CODE128 }) },
    balances: await ask<PageBalances>(getBalances),
    wallet_valid_through,
    progress: await ask<PageProgress>(getMember),
    vouchers: await list(listVouchersOfMember, { status: "held" }),
    stamp_cards: await list(listStampCards),
    promotions: promotions.map((one) => ({ ...one, locations: places.get(one.promotion_id) ?? [] })),
    movements: await withReasons(tx, owner, businessId, movements),
  };
}

type Movement = PageMovement & { readonly sale_id: number | null; readonly reason: string | null };

type ListedPromotion = Omit<PagePromotion, "locations"> & { readonly promotion_id: number };

/** What the event_type of a movement does not say. @param cards the members that are anonymous */
function kindOf(one: Movement, cards: ReadonlySet<number>): PageMovement["kind"] {
  if (one.reason === giftLapseReason) return "gift_lapsed";
  const other = mergedWith({ ...one });
  return other !== undefined && cards.has(other) ? "from_card" : undefined;
}

/** Adds why sales earned their points. */
async function withReasons(
  tx: Session,
  { contact_id: contactId }: PageOwner,
  businessId: number,
  movements: readonly Movement[],
): Promise<PageMovement[]> {
  const isEarned = ({ event_type, amount }: Movement) => event_type === "reward_points_earned" && amount > 0;
  const ids = new Set(movements.flatMap((one) => (isEarned(one) ? (one.sale_id ?? []) : [])));
  const wanted = { businessId, contactId, named: { sale: [...ids] } };
  const found = ids.size === 0 ? undefined : await findMemberAndRules(tx, wanted);
  const reasons = new Map<number, readonly PageReason[]>();
  for (const sale of found?.named.sale ?? []) {
    const rules = await findRulesVersion(tx, businessId, sale.rules_version);
    reasons.set(sale.sale_id, explainEarning(sale, rules));
  }
  const merged = movements.flatMap((one) => mergedWith({ ...one }) ?? []);
  const cards = await findAnonymous(tx, businessId, merged);
  return movements.map((one) => {
    const { event_type, amount, created_at, sale_id } = one;
    const kind = kindOf(one, cards);
    const why = isEarned(one) && sale_id !== null ? reasons.get(sale_id) : undefined;
    return { event_type, amount, created_at, ...(kind && { kind }), ...(why && { why }) };
  });
}

function accepted<Answer>(answer: Answer): Exclude<Answer, Rejection> {
  if (answer instanceof Rejection) throw new Error(`a member's page could not be read: ${answer.code}`);
  return answer as Exclude<Answer, Rejection>;
}

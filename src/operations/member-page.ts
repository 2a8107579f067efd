/** The page of a member: what operations of partners answer about it at that moment, from one snapshot. */
import { CODE128 } from "jsbarcode/bin/barcodes/CODE128/index.js";
import { encode } from "uqr";
import type {
  FindMemberPage,
  MemberPage,
  PageBalances,
  PageMovement,
  PageProgress,
  PagePromotion,
  PageReason,
} from "../contract/member-page.ts";
import type { ListOperation, ReadOperation } from "../contract/operation.ts";
import type { Services } from "../contract/services.ts";
import { hashSecret, placeOfWallet } from "../credentials/keys.ts";
import type { Session, Share } from "../database/connection.ts";
import { isTransient } from "../database/faults.ts";
import { findPageOwner, type PageOwner } from "../database/members/pages.ts";
import { anyLocation } from "../domain/access/access.ts";
import { readableCode } from "../domain/cards.ts";
import { picturesOf } from "../domain/code-pictures.ts";
import { OverloadedError } from "../domain/fair-queue.ts";
import { Rejection } from "../domain/rejection.ts";
import { listTransactionsForOperator } from "./operator/transactions/list.ts";
import { listCardsOperation } from "./partner/cards/list.ts";
import { getBalances } from "./partner/members/balances.ts";
import { getMember } from "./partner/members/get.ts";
import { listPromotions } from "./partner/promotions/list.ts";
import { getSale } from "./partner/sales/get.ts";
import { listStampCards } from "./partner/stamp-cards/list.ts";
import { listVouchersOfMember } from "./partner/vouchers/list.ts";

/** The number of the business, and a token of 160 bits in base64url. */
const address = /^(\d{1,15})\.([\w-]{27})$/;

export function readAddress(token: string) {
  const [, business = "", secret = ""] = address.exec(token) ?? [];
  return { businessId: Number(business), secret };
}

const mostMovements = 10;
const mostListed = 100;

/** @param shareOf the connections of a business */
export function memberPages(shareOf: (businessId: number) => Share, services: PageServices): FindMemberPage {
  return async (token) => {
    const { businessId, secret } = readAddress(token);
    if (secret === "") return undefined;
    const page = shareOf(businessId).begin(async (tx) => {
      const owner = await findPageOwner(tx, businessId, hashSecret(secret));
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
  const { contact_id, first_name, anonymous, wallet_valid_through, sealed_wallet, ...business } = owner;
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
  const ask = async <Data>({ read }: ReadOperation, input: object = { contact_id }): Promise<Data> =>
    accepted(await read({ ...context, input } as never)) as Data;
  const list = async <Row>(
    operation: ListOperation,
    more: object = {},
    perPage = mostListed,
  ): Promise<Row[]> => {
    const page = { page: 1, perPage };
    const listed = await operation.list({ ...context, page, input: { contact_id, ...more } } as never);
    return [...(accepted(listed) as { rows: readonly Row[] }).rows];
  };
  /** With the reasons of points that a sale earned. */
  const withReasons = async ({ sale_id, ...row }: PageMovement & { readonly sale_id: number | null }) => {
    if (row.event_type !== "reward_points_earned" || row.amount < 0 || sale_id === null) return row;
    const { why } = await ask<{ why: PageReason[] }>(getSale, { sale_id });
    return { ...row, why };
  };
  const movements: PageMovement[] = [];
  for (const row of await list<Parameters<typeof withReasons>[0]>(
    listTransactionsForOperator,
    {},
    mostMovements,
  ))
    movements.push(await withReasons(row));
  const cards = await list<{ card_code: string; status: string }>(listCardsOperation);
  const code = cards.find(({ status }) => status === "active")?.card_code;
  return {
    business,
    has_pass: sealed_wallet !== null && services.canUnseal(sealed_wallet, placeOfWallet(businessId)),
    first_name: anonymous === null ? first_name : "",
    card: code === undefined ? null : { code: readableCode(code), ...picturesOf(code, { encode, CODE128 }) },
    balances: await ask<PageBalances>(getBalances),
    wallet_valid_through,
    progress: await ask<PageProgress>(getMember),
    vouchers: await list(listVouchersOfMember, { status: "held" }),
    stamp_cards: await list(listStampCards),
    promotions: await list<PagePromotion>(listPromotions),
    movements,
  };
}

function accepted<Answer>(answer: Answer): Exclude<Answer, Rejection> {
  if (answer instanceof Rejection) throw new Error(`a member's page could not be read: ${answer.code}`);
  return answer as Exclude<Answer, Rejection>;
}

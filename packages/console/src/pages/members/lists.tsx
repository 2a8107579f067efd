/** The lists of a member: the points, the vouchers, the sales, and the ledger. */
import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import type { ListPath, OperationTableProps, WritePath } from "../../components.ts";
import { entryLink, OperationButton, OperationTable, PageLink, reads, saleLink } from "../../components.ts";
import { cardTexts, texts } from "../../texts/index.ts";
import { cardTable, saveVouchers } from "../cards.ts";
import { ledgerColumns, salesTable } from "../lists.tsx";
import type { Member, OfMember } from "./overview.tsx";

const held = "campaign_name coupon_code coupon_value status issued_on valid_through redeemed_at".split(" ");
const lotFacts = ["origin", "earned_on", "points", "used", "clawed", "left", "status"];

/** The kinds of entries that change points. */
const pointsEvents = (reads["/op/transactions/list"].input.event_types?.items?.enum ?? []).filter((event) =>
  event.startsWith("reward_points"),
) as never;

/** "Why these points?": the points by the sale that earned them, with their dates, and how the balance came about. */
export function PointsHistory({ member: { contact_id: id } }: OfMember) {
  const t = texts.pointsHistory;
  const link = { component: Link, to: `/sales?contact_id=${id}`, td: "underline" } as const;
  return (
    <>
      <OperationTable
        {...{ path: "/op/reward-points/list", title: t.lots, perPage: 10, empty: t.noLots }}
        filters={["include_closed"]}
        columns={[...lotFacts, "matures_on", "valid_through"]}
        rowKey={(_lot, index) => index}
        cells={{
          origin: (lot) => {
            if (lot.sale_id !== null) return saleLink(lot);
            return lot.earned_on === null ? t.byHand : t.origins[lot.source];
          },
          // Of points without a recorded sale only those that are left are known.
          points: ({ earned_on }) => (earned_on === null ? null : undefined),
          used: ({ earned_on }) => (earned_on === null ? null : undefined),
        }}
      />
      <OperationTable
        {...{ path: "/op/transactions/list", title: t.statement, perPage: 10, empty: t.noEntries }}
        request={{ event_types: pointsEvents }}
        columns={ledgerColumns}
        cells={{ reference_id: entryLink }}
      />
      <Text size="sm" mt="md">
        {t.missing} <Anchor {...link}>{t.receipt}</Anchor>
      </Text>
    </>
  );
}

type Part<P extends ListPath> = Omit<OperationTableProps<P>, "path"> & Readonly<{ add?: WritePath }>;

/** A list of what the member has. @param partOf the table, and the operation of the button above it, which adds something */
const listOf = <P extends ListPath>(path: P, partOf: (member: Member) => Part<P>) =>
  function MemberList({ member }: OfMember) {
    const { add, ...table } = partOf(member);
    const beside = add && member.active && <OperationButton path={add} />;
    return <OperationTable {...{ path, beside, ...(table as object) }} />;
  };

/** One that was used by mistake can be given back. */
export const MemberVouchers = listOf("/op/vouchers/held", ({ active }) => {
  const { empty, ofSale } = texts.memberVouchers;
  return {
    ...{ add: "/op/vouchers/issue", empty, columns: held },
    ...{ file: cardTexts.printVouchers, saveAs: saveVouchers },
    buttons: ({ status, sale_id }) => [
      active && status === "held" && "/op/vouchers/redeem",
      status === "redeemed" && {
        path: "/op/vouchers/reverse",
        obstacle: sale_id !== null && saleLink({ sale_id, reference_id: ofSale(sale_id) }),
      },
    ],
  };
});

/** They can be stamped by hand. */
export const MemberStampCards = listOf("/op/stamp-cards/of-member", ({ active }) => {
  const { stamps: stampsText, empty } = texts.memberStampCards;
  return {
    empty,
    cells: { stamps: ({ stamps, stamps_owed }) => stampsText(stamps, stamps_owed) },
    buttons: () => [active && "/op/stamp-cards/stamp"],
  };
});

/** The cards by which tills find the member. */
export const MemberCards = listOf("/op/cards/of-member", () => ({
  ...(cardTable as object),
  ...{ add: "/op/cards/create", empty: cardTexts.ofMember },
}));

export const MemberSales = listOf("/op/sales/list", () => ({
  ...{ ...salesTable, empty: texts.memberSales.empty },
}));

/** By what an entry can be undone: as a whole, such as a top-up with its bonus. */
const reversals = { reward_points: "/op/reward-points/reverse", wallet: "/op/wallet/reverse" } as const;

/** The ledger of a member, newest first. An entry leads to its sale, whose refund takes it back; some others can be reversed. */
export const Timeline = listOf("/op/transactions/list", ({ contact_id }) => {
  const { empty, obstacles, audit } = texts.timeline;
  return {
    ...{ empty, noneFound: texts.transactions.noneFound },
    beside: <PageLink href={`/audit?contact_id=${contact_id}`}>{audit}</PageLink>,
    filters: ["event_types", "start_date", "end_date"],
    columns: [...ledgerColumns, "location_id"],
    cells: { reference_id: entryLink },
    buttons: ({ reversal, reversal_obstacle: why, entry_no: no }) => {
      const fixed = reversal === "wallet" ? { movement_id: no } : { redemption_id: no };
      return [reversal !== null && { path: reversals[reversal], obstacle: why && obstacles[why], fixed }];
    },
  };
});

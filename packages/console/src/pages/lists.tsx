/** The pages that are a list of records. Their forms, columns and words come from the declarations and the texts. */
import { Avatar, Group } from "@mantine/core";
import type { ComponentType } from "react";
import { useLocation } from "wouter";
import { scopePresets } from "../../../../src/domain/access/scope-presets.ts";
import { type ApiResponse, type DataOf, reads, useAll, useRead } from "../api/index.ts";
import type { ListPageProps, ListPath, OperationTableProps } from "../components.ts";
import { JobProgress, ListPage, OperationMenu, SaveFile } from "../components.ts";
import { cardTexts } from "../texts/en/cards.ts";
import { partnerTexts } from "../texts/en/partners.ts";
import { promotionTexts } from "../texts/en/promotions.ts";
import { occasionTexts, referralTexts, topupTexts, voucherTexts } from "../texts/en/rewards.ts";
import { bulkGrantTexts, segmentTexts } from "../texts/en/segments.ts";
import { stampCardTexts } from "../texts/en/stamp-cards.ts";
import { actionText, ownZone, programUse, shortAddress, texts, voucherText } from "../texts/index.ts";
import { labelOf } from "../texts/labels.ts";
import { entryLink, ReferenceName, type Row, State, Words, wordsOf } from "../values/index.ts";
import { cardTable } from "./cards.ts";
import { FoundMembers } from "./members/found.tsx";
import { type Kind, RuleWords, stepButtons, useRuleForm } from "./promotions/words.tsx";
import { EarningChecklist } from "./rules/checklist.tsx";
import { usePreview } from "./rules/preview.tsx";
import { EndpointStatus } from "./webhooks/endpoint-status.tsx";

const list =
  <P extends ListPath>(path: P, props: Omit<ListPageProps<P>, "path">): ComponentType =>
  () => <ListPage {...(props as ListPageProps<P>)} path={path} />;

/** The columns of a ledger. Most entries have no reason, so it is below what happened. */
export const ledgerColumns = ["created_at", "event_type", "amount", "balance_after", "reference_id"];

/** The columns of sales. Each leads to its payment and its refunds. */
export const salesTable: Pick<OperationTableProps<"/op/sales/list">, "columns" | "linkTo"> = {
  columns: ["reference_id", "sold_on", "contact_id", "location_id", "amount", "refunded", "points_earned"],
  linkTo: ({ sale_id }) => `/sales/${sale_id}`,
};

const location = ({ location_id }: { readonly location_id: number | null }) =>
  location_id === null ? texts.all : <ReferenceName field="location_id" id={location_id} />;

/** Promotions or stamp cards, each with a sentence that says what it does. */
const rules = (kind: Kind, words: ListPageProps<"/op/promotions/list">["words"], suggested: Row) =>
  list(`/op/${kind}/list`, {
    words,
    creation: { useExtras: useRuleForm, suggested },
    columns: ["name", "rule", "status"],
    cells: { rule: (one: Row) => <RuleWords {...{ kind }} of={one} /> },
    linkTo: (one: Row) => `/${kind}/${Object.values(one)[0]}`,
    buttons: (one: Row) => stepButtons(kind, one),
  });

export const lists = {
  members: list("/op/members/list", {
    words: texts.members,
    search: "search",
    file: texts.tables.csv,
    summary: (total, request) => <FoundMembers {...{ total, request }} />,
    columns: ["name", "phone_number", "tier_name", "points_balance", "wallet_balance"],
    cells: { name: (row) => <MemberName member={row} /> },
    linkTo: ({ contact_id }) => `/members/${contact_id}`,
  }),

  segments: list("/op/segments/list", {
    words: segmentTexts,
    linkTo: ({ segment_id }) => `/members?segment_id=${segment_id}`,
    // All filters are sent again: they replace those before.
    buttons: ({ name, filters }) => [
      { path: "/op/segments/update", suggested: { name, ...filters }, submitLabel: texts.forms.save },
      "/op/segments/delete",
    ],
  }),

  "bulk-grants": list("/op/bulk-grants/list", {
    words: bulkGrantTexts,
    cells: { state: (job) => <BulkGrantState job={job} /> },
    buttons: ({ state }) => [
      state === "running" && "/op/bulk-grants/cancel",
      /cancelled|failed/.test(state) && "/op/bulk-grants/resume",
    ],
  }),

  cards: list("/op/cards/list", {
    words: cardTexts,
    creation: { suggested: { kind: "gift" }, first: ["kind", "card_count"] },
    search: "card_code",
    ...cardTable,
  }),

  sales: list("/op/sales/list", {
    words: texts.sales,
    search: "reference_id",
    file: texts.tables.csv,
    ...salesTable,
  }),

  /** The ledger of the business. */
  transactions: list("/op/transactions/list", {
    words: texts.transactions,
    columns: ledgerColumns.toSpliced(2, 0, "contact_id"),
    cells: { reference_id: entryLink },
    file: texts.tables.csv,
  }),

  promotions: rules("promotions", promotionTexts, { status: "active", member: "any", per: "sale" }),

  "stamp-cards": rules("stamp-cards", stampCardTexts, { status: "active" }),

  occasions: list("/op/occasions/list", {
    words: occasionTexts,
    buttons: (one) => stepButtons("occasions", one),
  }),

  referrals: list("/op/referrals/list", { words: referralTexts }),

  vouchers: list("/op/vouchers/list", {
    words: voucherTexts,
    more: [
      <SaveFile key="held" path="/op/exports/vouchers" label={voucherTexts.file} />,
      <SaveFile key="codes" path="/op/exports/codes" label={voucherTexts.codesFile} />,
    ],
    columns: ["campaign_name", "coupon_code", "coupon_value", "points_price", "validity"],
    cells: {
      validity: ({ archived }) => (archived ? labelOf("archived") : undefined),
      ...{ coupon_value: (voucher) => wordsOf(voucherText(voucher)), location_id: location },
    },
    buttons: ({ archived }) => [
      "/op/vouchers/update",
      !archived && "/op/vouchers/create-codes",
      {
        ...{ path: "/op/vouchers/archive", fixed: { archived: !archived } },
        label: archived ? voucherTexts.restore : voucherTexts.archive,
      },
    ],
  }),

  tiers: list("/op/tiers/list", {
    words: texts.tiers,
    request: { count_members: true },
    creation: { useExtras: usePreview },
    columns: ["name", "qualifying_sales", "expiry", "program_id", "members"],
    buttons: () => [{ path: "/op/tiers/update", useExtras: usePreview }, "/op/tiers/delete"],
  }),

  programs: list("/op/programs/list", {
    words: texts.programs,
    notice: <EarningChecklist />,
    creation: { useExtras: useRuleForm },
    columns: [...(reads["/op/programs/list"].columns ?? []).slice(1), "exceptions"],
    cells: { exceptions: (program) => <RuleWords kind="programs" of={program} /> },
    buttons: ({ program_id: id, membership_name: removed }) => [
      { path: "/op/programs/update", useExtras: useRuleForm, explanation: <ProgramUse {...{ id }} /> },
      { path: "/op/programs/delete", explanation: <ProgramUse {...{ id, removed }} /> },
    ],
  }),

  topups: list("/op/topup-benefits/list", {
    words: topupTexts,
    buttons: () => ["/op/topup-benefits/update"],
  }),

  locations: list("/op/locations/list", { words: texts.locations, buttons: () => ["/op/locations/update"] }),

  businesses: list("/op/businesses/list", {
    words: texts.businesses,
    creation: { suggested: { time_zone: ownZone() } },
    cells: { sandbox: ({ sandbox }) => (sandbox ? texts.yes : null) },
    linkTo: ({ business_id }) => `/${business_id}/today`,
    buttons: ({ business_id, sandbox }) => [
      "/op/businesses/update",
      sandbox && { path: "/op/businesses/delete", fixed: { sandbox_business_id: business_id } },
    ],
  }),

  integrations: list("/op/integrations/list", {
    words: partnerTexts.integrations,
    more: <AddIntegration button={{ variant: "filled" }} />,
    columns: ["name", "enabled", "client_id"],
    linkTo: ({ integration_id }) => `/integrations/${integration_id}`,
  }),

  webhooks: list("/op/webhook-endpoints/list", {
    words: texts.webhooks,
    columns: ["url", "description", "status", "last_success_at", "integration_id"],
    linkTo: ({ endpoint_id }) => `/webhooks/${endpoint_id}`,
    cells: {
      url: ({ url }) => <Words>{shortAddress(url)}</Words>,
      status: (endpoint) => <EndpointStatus endpoint={endpoint} />,
    },
  }),
} as const;

function BulkGrantState({ job }: { readonly job: DataOf<"/op/bulk-grants/list"> }) {
  const { state, problem, members_found: all } = job;
  const done = job.members_given + job.members_skipped;
  if (state === "running")
    return <JobProgress text={bulkGrantTexts.progress(done, all)} share={done / all} />;
  return <State value={`bulk_${state}`} row={{ warning: problem }} />;
}

function MemberName({ member }: { readonly member: DataOf<"/op/members/list"> }) {
  const name = `${member.first_name} ${member.last_name}`;
  return (
    <Group component="span" gap="sm" wrap="nowrap">
      <Avatar size={22} aria-hidden {...{ name }} />
      <Words>{name}</Words>
    </Group>
  );
}

export function AddIntegration({ button }: Readonly<{ button?: object }>) {
  const [, navigate] = useLocation();
  const [path, { presets }] = ["/op/integrations/create" as const, partnerTexts.integrations];
  const submitLabel = actionText(path);
  const actions = Object.entries(scopePresets).map(([kind, scopes]) => {
    const label = presets[kind as keyof typeof scopePresets];
    const rights = { all_locations: true, scopes };
    return {
      ...{ path, label, title: label, submitLabel },
      // What a kind of program needs is known. Its page shows it, and changes it.
      ...(scopes.length > 0 ? { show: ["name"], fixed: rights } : { suggested: rights }),
      onDone: ({ data }: ApiResponse<object>) => navigate(`/integrations/${(data as Row).integration_id}`),
    };
  });
  return <OperationMenu label={submitLabel} {...{ actions, ...(button && { button }) }} />;
}

export function ProgramUse({ id, removed }: Readonly<{ id: number; removed?: string }>) {
  const rules = useRead("/op/reward-settings/rules/get", {}).data?.data;
  const tiers = useAll("/op/tiers/list", { count_members: true }).data?.data;
  if (rules === undefined || tiers === undefined) return null;
  return programUse(id, rules.default_program_id, tiers, removed);
}

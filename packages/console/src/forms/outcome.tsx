/** What a form would do: the service says it of a dry run, or another operation does; or it follows from what the member has. */
import { Alert } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type ReactNode, useContext } from "react";
import type { ListPath, ReadPath, RequestOf, WritePath } from "../api/index.ts";
import { reads, useAll, useRead } from "../api/index.ts";
import { writes } from "../api/writes.ts";
import { PageRecord, useMaybeBusiness } from "../business.tsx";
import { Read } from "../feedback/read.tsx";
import { Details } from "../tables/details.tsx";
import { outcomeText } from "../texts/outcomes.ts";
import type { Row } from "../values/value.tsx";

const previews: Readonly<Record<string, ReadPath | undefined>> = {
  "/op/sales/refund": "/op/sales/preview-refund",
  "/op/bulk-grants/start": "/op/bulk-grants/preview",
};

type OutcomeProps = Readonly<{ path: WritePath; request: Row; record: object | undefined }>;

type Outcome = Readonly<{ outcome: ReactNode; isUnclear?: boolean }>;

/** @returns what the form would do, and whether that can't be said before more is written */
export function useOutcome({ path, request, record }: OutcomeProps): Outcome {
  const { money = String } = useMaybeBusiness() ?? {};
  const [settled] = useDebouncedValue(request, 300);
  const member = useMember();
  const chosen = useChosen("/op/vouchers/list", "voucher_id", request);
  const benefit = useChosen("/op/topup-benefits/list", "benefit_id", request);
  const tier = useChosen("/op/tiers/list", "tier_id", request);
  const preview = previews[path] ?? ("dry_run" in writes[path].input ? path : undefined);
  const { input, exactlyOneOf, output } = { ...reads, ...writes }[preview ?? path];
  const show = (found: Row, of = settled) => {
    const about = { request: of, record, member, found, chosen: { ...chosen, ...benefit, ...tier } };
    const { lines, details = [] } = outcomeText(path, about as never, money);
    return (
      lines.length > 0 && (
        <Alert title={lines[0]}>
          {lines.slice(1).map((line) => (
            <div key={line}>{line}</div>
          ))}
          {details.length > 0 && <Details record={found} fields={output.properties ?? {}} show={details} />}
        </Alert>
      )
    );
  };
  if (preview === undefined) return { outcome: show({}, request) };
  const known = Object.entries(settled).filter(([name, value]) => name in input && value !== undefined);
  const asked: Row = { ...Object.fromEntries(known), ...("dry_run" in input && { dry_run: true }) };
  const isComplete =
    Object.keys(input).every((name) => input[name]?.optional || name in asked) &&
    (exactlyOneOf?.some((name) => name in asked) ?? true) &&
    !Object.values(asked).some((value) => Array.isArray(value) && value.length === 0);
  if (!isComplete) return { outcome: null, isUnclear: true };
  const read = { path: preview, request: asked as RequestOf<ReadPath>, once: true };
  return { outcome: <Read {...read}>{(found) => show(found as Row)}</Read> };
}

/** The member that a page is about, or whose record it shows. */
function useMember() {
  const { contact_id } = (useContext(PageRecord).record ?? {}) as { contact_id?: number };
  return useRead("/op/members/get", { contact_id }, { enabled: contact_id !== undefined }).data?.data;
}

/** The record that a choice of the form names. */
function useChosen(path: ListPath, field: string, request: Row): Row | undefined {
  const { data } = useAll(path, {} as never, { enabled: field in request });
  return (data?.data as readonly Row[] | undefined)?.find((one) => one[field] === request[field]);
}

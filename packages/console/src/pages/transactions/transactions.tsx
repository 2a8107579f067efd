/** The ledger of the business with all filters, and as a file. */
import { Button, Group, NativeSelect, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { declarationOf } from "../../api/declarations.ts";
import { useBusiness } from "../../business.tsx";
import { FailureAlert } from "../../feedback/failure.tsx";
import { downloadList } from "../../files/csv.ts";
import { PageTitle } from "../../shell/page-title.tsx";
import { OperationTable } from "../../tables/operation-table.tsx";
import { texts } from "../../texts/en.ts";
import { choiceText, labelOf } from "../../values/labels.ts";
import { useChoices } from "../../values/references.ts";
import { MemberLink } from "../members/member-link.tsx";

const path = "/op/transactions/list";
const eventTypes = declarationOf(path).input.event_types?.items?.enum ?? [];
const typingMilliseconds = 200;

export function TransactionsPage() {
  const business = useBusiness();
  const { business_id } = business;
  const [parameters, setParameters] = useSearchParams();
  const filter = Object.fromEntries(parameters);
  const [settled] = useDebouncedValue(filter, typingMilliseconds);
  const [file, setFile] = useState<number | Error>();
  const set = (name: string, value: string) => {
    const { [name]: _, ...others } = filter;
    setParameters(value === "" ? others : { ...others, [name]: value }, { replace: true });
  };
  const request = { business_id, ...requestOf(settled) };
  const save = () => {
    setFile(0);
    downloadList(path, request, business, setFile).then(() => setFile(undefined), setFile);
  };
  return (
    <>
      <PageTitle title={texts.transactions.title}>
        <Button variant="default" onClick={save} loading={typeof file === "number"}>
          {texts.transactions.csv}
        </Button>
      </PageTitle>
      {file instanceof Error && <FailureAlert error={file} onRetry={save} />}
      <Filters filter={filter} set={set} />
      <OperationTable
        path={path}
        request={request}
        columns={[
          "created_at",
          "event_type",
          "contact_id",
          "amount",
          "balance_after",
          "reference_id",
          "reason",
        ]}
        rowKey={({ entry_no }) => entry_no}
        cells={{ contact_id: ({ contact_id }) => <MemberLink contactId={contact_id} /> }}
        empty={texts.transactions.empty}
      />
    </>
  );
}

type Filter = Readonly<Record<string, string | undefined>>;

function requestOf({ start_date, end_date, location_id, contact_id, event_type }: Filter) {
  return {
    ...(start_date && { start_date }),
    ...(end_date && { end_date }),
    ...(location_id && { location_id: Number(location_id) }),
    ...(contact_id && /^\d{1,15}$/.test(contact_id) && { contact_id: Number(contact_id) }),
    ...(event_type && { event_types: [event_type] as never }),
  };
}

function Filters({
  filter,
  set,
}: {
  readonly filter: Filter;
  readonly set: (name: string, value: string) => void;
}) {
  const all = { value: "", label: texts.all };
  const choices = {
    event_type: eventTypes.map((value) => ({ value, label: choiceText(value) })),
    location_id: useChoices("location_id") ?? [],
  };
  return (
    <Group mb="md" align="flex-end" gap="sm">
      {(["start_date", "end_date", "contact_id"] as const).map((name) => (
        <TextInput
          key={name}
          type={name === "contact_id" ? "text" : "date"}
          inputMode={name === "contact_id" ? "numeric" : undefined}
          label={name === "contact_id" ? texts.transactions.contactId : labelOf(name)}
          value={filter[name] ?? ""}
          onChange={(event) => set(name, event.currentTarget.value)}
        />
      ))}
      {Object.entries(choices).map(([name, data]) => (
        <NativeSelect
          key={name}
          label={labelOf(name)}
          data={[all, ...data]}
          value={filter[name] ?? ""}
          onChange={(event) => set(name, event.currentTarget.value)}
        />
      ))}
    </Group>
  );
}

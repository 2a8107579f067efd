/** The audit log: who did what, and what changed. */
import { Group, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import type { DataOf } from "../../api/declarations.ts";
import { useMaybeBusiness } from "../../business.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { OperationTable } from "../../tables/operation-table.tsx";
import { texts } from "../../texts/en.ts";
import { labelOf } from "../../values/labels.ts";

type Entry = DataOf<"/op/audit/list">;
const filters = ["event", "actor", "contact_id", "start_date", "end_date"] as const;
const typingMilliseconds = 300;

export function AuditPage() {
  const business = useMaybeBusiness();
  const [written, setWritten] = useState<Readonly<Record<string, string>>>({});
  const [settled] = useDebouncedValue(written, typingMilliseconds);
  const given = Object.entries(settled).filter(([, text]) => text !== "");
  const request = {
    ...(business && { business_id: business.business_id }),
    ...Object.fromEntries(given.map(([name, text]) => [name, name === "contact_id" ? Number(text) : text])),
  };
  return (
    <>
      <PageTitle title={texts.audit.title} subtitle={texts.audit.explanation} />
      <Group mb="md" align="flex-end">
        {filters.map((name) => (
          <TextInput
            key={name}
            label={labelOf(name)}
            type={name.endsWith("_date") ? "date" : name === "contact_id" ? "number" : "text"}
            maxLength={100}
            value={written[name] ?? ""}
            onChange={(event) => setWritten({ ...written, [name]: event.currentTarget.value.trim() })}
          />
        ))}
      </Group>
      <OperationTable
        path="/op/audit/list"
        request={request}
        columns={["recorded_at", "actor", "event", "contact_id", "changes", "address"]}
        rowKey={({ audit_id }) => audit_id}
        cells={{ changes: changesCell }}
        empty={texts.audit.empty}
      />
    </>
  );
}

const textOf = (value: unknown) =>
  value === undefined || value === null
    ? texts.none
    : String(typeof value === "object" ? JSON.stringify(value) : value);

/** The changed fields before and after; of a new or a deleted record, all fields. */
function changesCell({ before, after }: Entry) {
  const [old, current] = [before ?? {}, after ?? {}] as Readonly<Record<string, unknown>>[];
  const names = [...new Set([...Object.keys(old ?? {}), ...Object.keys(current ?? {})])];
  const lineOf = (name: string) => {
    const [from, to] = [textOf(old?.[name]), textOf(current?.[name])];
    if (before === null || after === null) return before === null ? to : from;
    return from === to ? to : texts.audit.change(from, to);
  };
  return (
    <dl className="changes">
      {names.map((name) => (
        <div key={name}>
          <dt>{labelOf(name)}</dt>
          <dd className="wraps">{lineOf(name)}</dd>
        </div>
      ))}
    </dl>
  );
}

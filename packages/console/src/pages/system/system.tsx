/** The state of the service, and the check of all ledgers. */
import { Stack, Title } from "@mantine/core";
import { outputOf } from "../../api/declarations.ts";
import { useRead } from "../../api/queries.ts";
import { FailureAlert } from "../../feedback/failure.tsx";
import { Loading } from "../../feedback/loading.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { Details } from "../../tables/details.tsx";
import { texts } from "../../texts/en.ts";
import { labelOf } from "../../values/labels.ts";
import type { Row } from "../../values/value.tsx";
import { Verification } from "./verification.tsx";

export function SystemPage() {
  const read = useRead("/op/status/get", {});
  if (read.isPending) return <Loading />;
  if (read.error) return <FailureAlert error={read.error} onRetry={() => void read.refetch()} />;
  const status = read.data.data;
  const fields = outputOf("/op/status/get");
  const names = Object.keys(fields);
  const parts = names.filter((name) => fields[name]?.type === "object");
  const whole = names.filter((name) => !parts.includes(name));
  return (
    <Stack gap="lg">
      <PageTitle title={texts.system.title} />
      <Details record={status} fields={fields} show={whole} />
      {parts.map((name) => (
        <section key={name}>
          <Title order={2} size="h4" mb="xs">
            {labelOf(name)}
          </Title>
          <Details
            record={(status as unknown as Readonly<Record<string, Row>>)[name] ?? {}}
            fields={fields[name]?.properties ?? {}}
          />
        </section>
      ))}
      <section>
        <Title order={2} size="h4" mb="xs">
          {texts.system.verify}
        </Title>
        <Verification entries={status.entries} />
      </section>
    </Stack>
  );
}
